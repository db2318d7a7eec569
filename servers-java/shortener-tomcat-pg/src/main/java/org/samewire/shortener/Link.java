package org.samewire.shortener;

import java.security.SecureRandom;

/** A hash and the URL it stands for. */
record Link(String hash, String url) {
  private static final String ALPHABET =
      "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
  private static final SecureRandom RANDOM = new SecureRandom();

  /** A link with a random hash, which may be taken. */
  static Link to(String url) {
    var hash = new StringBuilder();
    RANDOM.ints(6, 0, ALPHABET.length()).forEach(index -> hash.append(ALPHABET.charAt(index)));
    return new Link(hash.toString(), url);
  }
}
