package org.samewire.report;

import java.net.InetAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.Map;

/** What the environment asks for. */
public record Settings(
    InetAddress address, int port, URI todoUrl, URI raytracerUrl, Duration upstreamTimeout) {

  // #region server.configure
  static Settings from(Map<String, String> environment) {
    return new Settings(
        address(environment.getOrDefault("HOST", "127.0.0.1")),
        integer("PORT", required(environment, "PORT"), 65535),
        url("TODO_URL", required(environment, "TODO_URL")),
        url("RAYTRACER_URL", required(environment, "RAYTRACER_URL")),
        Duration.ofMillis(
            integer(
                "UPSTREAM_TIMEOUT_MS",
                environment.getOrDefault("UPSTREAM_TIMEOUT_MS", "60000"),
                Integer.MAX_VALUE)));
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

  private static int integer(String name, String text, int most) {
    if (!text.matches("[0-9]{1,10}") || Long.parseLong(text) < 1 || Long.parseLong(text) > most) {
      throw new IllegalArgumentException(name + " must be an integer from 1 to " + most);
    }
    return Integer.parseInt(text);
  }

  private static URI url(String name, String text) {
    try {
      URI url = URI.create(text);
      if (text.matches("(?i:http)://[^/?#@]+/?") && url.getHost() != null && url.getPort() != 0) {
        return url;
      }
    } catch (IllegalArgumentException e) {
      // Told below.
    }
    throw new IllegalArgumentException(name + " must look like http://host:port");
  }
  // #endregion server.configure
}
