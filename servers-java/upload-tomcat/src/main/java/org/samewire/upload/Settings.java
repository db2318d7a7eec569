package org.samewire.upload;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/** What the environment asks for. */
record Settings(
    InetAddress host,
    int port,
    Path uploadDir,
    long maxFileBytes,
    long maxRequestBytes,
    boolean diskFileItems,
    boolean virtualThreads,
    boolean nonBlockingReads) {

  Settings {
    if (virtualThreads && Runtime.version().feature() < 21) {
      throw new IllegalArgumentException("THREADS=virtual needs JDK 21 or newer");
    }
  }

  // #region server.configure
  static Settings from(Map<String, String> environment) {
    return new Settings(
        address(environment.getOrDefault("HOST", "127.0.0.1")),
        (int) number("PORT", environment.get("PORT"), 65_535),
        folder(environment.getOrDefault("UPLOAD_DIR", "")),
        number("MAX_FILE_BYTES", environment.getOrDefault("MAX_FILE_BYTES", "209715200")),
        number("MAX_REQUEST_BYTES", environment.getOrDefault("MAX_REQUEST_BYTES", "241172480")),
        isOther(environment, "DISK_FILE_ITEMS", "false", "true"),
        isOther(environment, "THREADS", "platform", "virtual"),
        isOther(environment, "READS", "blocking", "non-blocking"));
  }

  /** Whether a variable has its other value, and not the usual one. */
  private static boolean isOther(
      Map<String, String> environment, String name, String usual, String other) {
    String value = environment.getOrDefault(name, usual);
    if (!value.equals(usual) && !value.equals(other)) {
      throw new IllegalArgumentException(name + " must be " + usual + " or " + other);
    }
    return value.equals(other);
  }

  private static InetAddress address(String host) {
    try {
      return InetAddress.getByName(host);
    } catch (UnknownHostException e) {
      throw new IllegalArgumentException("HOST is no address: " + host);
    }
  }

  private static Path folder(String name) {
    Path folder = Path.of(name);
    if (!folder.isAbsolute() || !Files.isDirectory(folder) || !Files.isWritable(folder)) {
      throw new IllegalArgumentException(
          "UPLOAD_DIR must be the absolute path of a folder that can be written: " + name);
    }
    return folder;
  }

  private static long number(String name, String text) {
    return number(name, text, Long.MAX_VALUE - 1);
  }

  private static long number(String name, String text, long most) {
    try {
      long number = Long.parseLong(text);
      if (number >= 1 && number <= most) {
        return number;
      }
    } catch (NumberFormatException e) {
      // The message below says it.
    }
    throw new IllegalArgumentException(name + " must be an integer from 1 to " + most);
  }
  // #endregion server.configure
}
