package org.samewire.shortener;

import io.vertx.pgclient.PgConnectOptions;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.Map;

/** What the environment asks for. */
record Configuration(InetSocketAddress address, PgConnectOptions database) {

  // #region server.configure
  static Configuration from(Map<String, String> environment) {
    String port = required(environment, "PORT");
    if (!port.matches("[0-9]{1,5}")
        || Integer.parseInt(port) < 1
        || Integer.parseInt(port) > 65535) {
      throw new IllegalArgumentException("PORT must be an integer from 1 to 65535");
    }
    String host = environment.getOrDefault("HOST", "127.0.0.1");
    var address = new InetSocketAddress(host, Integer.parseInt(port));
    if (host.isBlank() || address.isUnresolved()) {
      throw new IllegalArgumentException("HOST is not an address of this machine: " + host);
    }
    return new Configuration(address, database(required(environment, "POSTGRES_URL")));
  }

  private static String required(Map<String, String> environment, String name) {
    String value = environment.get(name);
    if (value == null) {
      throw new IllegalArgumentException(name + " is missing");
    }
    return value;
  }

  private static PgConnectOptions database(String url) {
    // The message leaves the value out: it may hold a password.
    var unusable =
        new IllegalArgumentException(
            "POSTGRES_URL must look like postgres://user[:password]@host:port/database");
    try {
      URI uri = URI.create(url);
      if (uri.getHost() == null || uri.getPath().length() < 2) {
        throw unusable;
      }
      return PgConnectOptions.fromUri(url);
    } catch (RuntimeException e) {
      throw unusable;
    }
  }
  // #endregion server.configure
}
