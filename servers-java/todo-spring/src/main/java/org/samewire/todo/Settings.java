package org.samewire.todo;

import java.net.InetAddress;
import java.net.URI;
import java.net.URLDecoder;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/** What the environment asks for. */
public record Settings(InetAddress address, int port, Database database) {

  /** Where PostgreSQL is; user and password are null where the URL has none. */
  public record Database(String jdbcUrl, String user, String password) {}

  // #region server.configure
  static Settings from(Map<String, String> environment) {
    String port = required(environment, "PORT");
    if (!port.matches("[0-9]{1,5}")
        || Integer.parseInt(port) < 1
        || Integer.parseInt(port) > 65535) {
      throw new IllegalArgumentException("PORT must be an integer from 1 to 65535");
    }
    return new Settings(
        address(environment.getOrDefault("HOST", "127.0.0.1")),
        Integer.parseInt(port),
        database(required(environment, "POSTGRES_URL")));
  }

  private static String required(Map<String, String> environment, String name) {
    String value = environment.get(name);
    if (value == null) {
      throw new IllegalArgumentException(name + " is missing");
    }
    return value;
  }

  private static InetAddress address(String host) {
    try {
      if (!host.isBlank()) {
        return InetAddress.getByName(host);
      }
    } catch (UnknownHostException e) {
      // Told below.
    }
    throw new IllegalArgumentException("HOST is not an address of this machine: " + host);
  }

  private static Database database(String url) {
    // The message leaves the value out: it may hold a password.
    var unusable =
        new IllegalArgumentException(
            "POSTGRES_URL must look like postgres://user[:password]@host:port/database");
    try {
      URI uri = URI.create(url);
      if (!uri.getScheme().matches("postgres(ql)?")
          || uri.getHost() == null
          || uri.getPath().length() < 2) {
        throw unusable;
      }
      int port = uri.getPort() < 0 ? 5432 : uri.getPort();
      String query = uri.getRawQuery() == null ? "" : "?" + uri.getRawQuery();
      String jdbcUrl =
          "jdbc:postgresql://%s:%d%s%s".formatted(uri.getHost(), port, uri.getRawPath(), query);
      String[] user =
          uri.getRawUserInfo() == null ? new String[0] : uri.getRawUserInfo().split(":", 2);
      return new Database(
          jdbcUrl,
          user.length > 0 ? decoded(user[0]) : null,
          user.length > 1 ? decoded(user[1]) : null);
    } catch (RuntimeException e) {
      throw unusable;
    }
  }

  private static String decoded(String text) {
    return URLDecoder.decode(text.replace("+", "%2B"), StandardCharsets.UTF_8);
  }
  // #endregion server.configure
}
