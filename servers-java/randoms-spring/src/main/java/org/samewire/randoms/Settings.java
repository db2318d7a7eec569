package org.samewire.randoms;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Map;

/** What the environment asks for. */
public record Settings(
    InetAddress address, int port, boolean compression, long compressionMinBytes, Log log) {

  /** Whether and how results are logged. */
  public enum Log {
    NONE,
    SYNC,
    ASYNC
  }

  // #region server.configure
  static Settings from(Map<String, String> environment) {
    String port = environment.get("PORT");
    if (port == null) {
      throw new IllegalArgumentException("PORT is missing");
    }
    if (!port.matches("[0-9]{1,5}")
        || Integer.parseInt(port) < 1
        || Integer.parseInt(port) > 65535) {
      throw new IllegalArgumentException("PORT must be an integer from 1 to 65535");
    }
    return new Settings(
        address(environment.getOrDefault("HOST", "127.0.0.1")),
        Integer.parseInt(port),
        compression(environment.getOrDefault("COMPRESSION", "on")),
        minBytes(environment.getOrDefault("COMPRESSION_MIN_BYTES", "1024")),
        log(environment.getOrDefault("LOG", "none")));
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

  private static boolean compression(String word) {
    return switch (word) {
      case "on" -> true;
      case "off" -> false;
      default -> throw new IllegalArgumentException("COMPRESSION must be on or off");
    };
  }

  private static long minBytes(String bytes) {
    if (!bytes.matches("[0-9]{1,18}")) {
      throw new IllegalArgumentException("COMPRESSION_MIN_BYTES must be a non-negative integer");
    }
    return Long.parseLong(bytes);
  }

  private static Log log(String word) {
    return switch (word) {
      case "none" -> Log.NONE;
      case "sync" -> Log.SYNC;
      case "async" -> Log.ASYNC;
      default -> throw new IllegalArgumentException("LOG must be none, sync or async");
    };
  }
  // #endregion server.configure
}
