package org.samewire.shortener;

import io.vertx.pgclient.PgConnectOptions;
import java.net.InetSocketAddress;
import java.util.Map;
import java.util.function.Function;

/** What the environment asks for. */
record Configuration(String host, int port, PgConnectOptions database) {

  // #region server.configure
  static Configuration from(Map<String, String> environment) {
    int port = read(environment, "PORT", Integer::parseInt);
    if (port < 1 || port > 65535) {
      throw new IllegalArgumentException("PORT is not from 1 to 65535");
    }
    String host = environment.getOrDefault("HOST", "127.0.0.1");
    if (new InetSocketAddress(host, port).isUnresolved()) {
      throw new IllegalArgumentException("HOST is no address: " + host);
    }
    return new Configuration(
        host, port, read(environment, "POSTGRES_URL", PgConnectOptions::fromUri));
  }

  private static <T> T read(Map<String, String> environment, String name, Function<String, T> as) {
    try {
      return as.apply(environment.get(name));
    } catch (RuntimeException e) {
      // Without the value and the cause: they may hold a password.
      throw new IllegalArgumentException(name + " is missing or cannot be used");
    }
  }
  // #endregion server.configure
}
