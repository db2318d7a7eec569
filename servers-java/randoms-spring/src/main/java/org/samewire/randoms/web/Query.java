package org.samewire.randoms.web;

import static java.nio.charset.StandardCharsets.UTF_8;

import jakarta.servlet.http.HttpServletRequest;
import java.net.URLDecoder;

/**
 * The parameters of a request. Tomcat's own reading refuses the whole query for one without a name.
 */
public final class Query {
  private Query() {}

  /** The first value of a parameter, or null. */
  public static String first(HttpServletRequest request, String name) {
    if (request.getQueryString() == null) {
      return null;
    }
    for (String parameter : request.getQueryString().split("&")) {
      String[] pair = parameter.split("=", 2);
      if (decoded(pair[0]).equals(name)) {
        return pair.length == 1 ? "" : decoded(pair[1]);
      }
    }
    return null;
  }

  /** What cannot be decoded stays as it is, and is then no number. */
  private static String decoded(String text) {
    try {
      return URLDecoder.decode(text, UTF_8);
    } catch (IllegalArgumentException e) {
      return text;
    }
  }
}
