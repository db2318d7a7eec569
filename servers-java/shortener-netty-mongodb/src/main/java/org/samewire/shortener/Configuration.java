package org.samewire.shortener;

import com.mongodb.ConnectionString;
import java.net.InetSocketAddress;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;

/** What the environment asks for. */
record Configuration(InetSocketAddress address, ConnectionString database) {

  // #region server.configure
  static Configuration from(Map<String, String> environment) {
    int port = read(environment, "PORT", Integer::parseInt);
    if (port < 1 || port > 65535) {
      throw new IllegalArgumentException("PORT is not from 1 to 65535");
    }
    var address = new InetSocketAddress(environment.getOrDefault("HOST", "127.0.0.1"), port);
    if (address.isUnresolved()) {
      throw new IllegalArgumentException("HOST is no address: " + address.getHostString());
    }
    return new Configuration(
        address, read(environment, "MONGODB_URL", Configuration::withDatabase));
  }

  private static ConnectionString withDatabase(String url) {
    var parsed = new ConnectionString(url);
    Objects.requireNonNull(parsed.getDatabase());
    return parsed;
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
