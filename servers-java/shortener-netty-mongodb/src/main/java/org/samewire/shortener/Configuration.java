package org.samewire.shortener;

import com.mongodb.ConnectionString;
import java.net.InetSocketAddress;
import java.util.Map;

/** What the environment asks for. */
record Configuration(InetSocketAddress address, ConnectionString database) {

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
    return new Configuration(address, database(required(environment, "MONGODB_URL")));
  }

  private static String required(Map<String, String> environment, String name) {
    String value = environment.get(name);
    if (value == null) {
      throw new IllegalArgumentException(name + " is missing");
    }
    return value;
  }

  private static ConnectionString database(String url) {
    // The message leaves the value out: it may hold a password.
    var unusable =
        new IllegalArgumentException("MONGODB_URL must look like mongodb://host:port/database");
    try {
      var database = new ConnectionString(url);
      if (database.getDatabase() == null) {
        throw unusable;
      }
      return database;
    } catch (RuntimeException e) {
      throw unusable;
    }
  }

  // #endregion server.configure
}
