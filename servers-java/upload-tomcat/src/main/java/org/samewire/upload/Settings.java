package org.samewire.upload;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Map;

/** What the environment asks for. */
record Settings(
    InetAddress address, int port, Path uploadDir, long maxFileBytes, long maxRequestBytes) {

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
        folder(required(environment, "UPLOAD_DIR")),
        bytes(environment, "MAX_FILE_BYTES", "209715200"),
        bytes(environment, "MAX_REQUEST_BYTES", "241172480"));
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

  private static Path folder(String text) {
    try {
      Path folder = Path.of(text);
      if (folder.isAbsolute() && Files.isDirectory(folder) && Files.isWritable(folder)) {
        return folder;
      }
    } catch (InvalidPathException e) {
      // Told below.
    }
    throw new IllegalArgumentException(
        "UPLOAD_DIR must be the absolute path of a writable folder: " + text);
  }

  private static long bytes(Map<String, String> environment, String name, String otherwise) {
    String text = environment.getOrDefault(name, otherwise);
    if (!text.matches("[0-9]{1,18}") || Long.parseLong(text) == 0) {
      throw new IllegalArgumentException(name + " must be a positive integer");
    }
    return Long.parseLong(text);
  }
  // #endregion server.configure
}
