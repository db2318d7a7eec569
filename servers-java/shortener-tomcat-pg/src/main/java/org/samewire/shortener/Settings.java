package org.samewire.shortener;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.net.InetAddress;
import java.net.URLDecoder;
import java.net.UnknownHostException;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.postgresql.Driver;

/** What the environment asks for. */
record Settings(InetAddress host, int port, Database database, boolean virtualThreads) {

  /** A JDBC URL, and what JDBC has apart from it. */
  record Database(String url, String user, String password) {}

  // The parts are user, password and the rest. An escape that is broken is refused at once.
  private static final Pattern POSTGRES_URL =
      Pattern.compile(
          "(?!.*%(?!\\p{XDigit}{2}))postgres(?:ql)?://([^:@/]+)(:[^@/]*)?@([^@/]+/[^@/]+)");

  // #region server.configure
  static Settings from(Map<String, String> environment) {
    return new Settings(
        address(environment.getOrDefault("HOST", "127.0.0.1")),
        port(environment.getOrDefault("PORT", "")),
        database(environment.getOrDefault("POSTGRES_URL", "")),
        areVirtual(environment.getOrDefault("THREADS", "platform")));
  }

  private static InetAddress address(String host) {
    try {
      return InetAddress.getByName(host);
    } catch (UnknownHostException e) {
      throw new IllegalArgumentException("HOST is no address: " + host);
    }
  }

  private static int port(String text) {
    try {
      int port = Integer.parseInt(text);
      if (port >= 1 && port <= 65_535) {
        return port;
      }
    } catch (NumberFormatException e) {
      // The message below says it.
    }
    throw new IllegalArgumentException("PORT must be an integer from 1 to 65535");
  }

  private static Database database(String text) {
    Matcher parts = POSTGRES_URL.matcher(text);
    if (!parts.matches() || !new Driver().acceptsURL("jdbc:postgresql://" + parts.group(3))) {
      // Without the value: it may hold a password.
      throw new IllegalArgumentException(
          "POSTGRES_URL must look like postgres://user[:password]@host:port/database");
    }
    String password = parts.group(2) == null ? "" : parts.group(2).substring(1);
    return new Database(
        "jdbc:postgresql://" + parts.group(3), decode(parts.group(1)), decode(password));
  }

  private static String decode(String text) {
    // In a form a plus sign is a blank, but this is none.
    return URLDecoder.decode(text.replace("+", "%2B"), UTF_8);
  }

  private static boolean areVirtual(String threads) {
    if (threads.equals("virtual") && Runtime.version().feature() < 21) {
      throw new IllegalArgumentException("THREADS=virtual needs JDK 21 or newer");
    }
    return switch (threads) {
      case "platform" -> false;
      case "virtual" -> true;
      default -> throw new IllegalArgumentException("THREADS must be platform or virtual");
    };
  }
  // #endregion server.configure
}
