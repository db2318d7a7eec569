package org.samewire.chat;

import java.net.InetSocketAddress;
import java.util.Map;

/** What the environment asks for. */
record Settings(InetSocketAddress address) {

  // #region server.configure
  static Settings from(Map<String, String> environment) {
    String port = environment.getOrDefault("PORT", "");
    if (!port.matches("[1-9][0-9]{0,4}") || Integer.parseInt(port) > 65_535) {
      throw new IllegalArgumentException("PORT must be an integer from 1 to 65535");
    }
    var address =
        new InetSocketAddress(
            environment.getOrDefault("HOST", "127.0.0.1"), Integer.parseInt(port));
    if (address.isUnresolved()) {
      throw new IllegalArgumentException("HOST is no address: " + address.getHostString());
    }
    return new Settings(address);
  }
  // #endregion server.configure
}
