package org.samewire.chat;

import java.net.InetSocketAddress;
import java.util.Map;

/** What the environment asks for. */
record Settings(InetSocketAddress address) {

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
    String host = environment.getOrDefault("HOST", "127.0.0.1");
    var address = new InetSocketAddress(host, Integer.parseInt(port));
    if (host.isBlank() || address.isUnresolved()) {
      throw new IllegalArgumentException("HOST is not an address of this machine: " + host);
    }
    return new Settings(address);
  }
  // #endregion server.configure
}
