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
    boolean diskFileItems) {

  // #region server.configure
  static Settings from(Map<String, String> environment) {
    return new Settings(
        address(environment.getOrDefault("HOST", "127.0.0.1")),
        (int) number("PORT", environment.get("PORT"), 65_535),
        folder(environment.getOrDefault("UPLOAD_DIR", "")),
        number("MAX_FILE_BYTES", environment.getOrDefault("MAX_FILE_BYTES", "209715200")),
        number("MAX_REQUEST_BYTES", environment.getOrDefault("MAX_REQUEST_BYTES", "241172480")),
        truth("DISK_FILE_ITEMS", environment.getOrDefault("DISK_FILE_ITEMS", "false")));
  }

  private static boolean truth(String name, String text) {
    return switch (text) {
      case "true" -> true;
      case "false" -> false;
      default -> throw new IllegalArgumentException(name + " must be true or false");
    };
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
