package org.samewire.chat;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Map;

/** What the environment asks for. */
public record Settings(InetAddress address, int port) {

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
        address(environment.getOrDefault("HOST", "127.0.0.1")), Integer.parseInt(port));
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
  // #endregion server.configure
}
