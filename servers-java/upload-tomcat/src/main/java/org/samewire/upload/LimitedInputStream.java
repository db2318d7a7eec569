package org.samewire.upload;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;

/** The body of a request, which is a problem as soon as it is too large. */
final class LimitedInputStream extends FilterInputStream {
  private long left;

  LimitedInputStream(InputStream in, long limit) {
    super(in);
    left = limit;
  }

  @Override
  public int read() throws IOException {
    byte[] one = new byte[1];
    return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
  }

  @Override
  public int read(byte[] bytes, int offset, int length) throws IOException {
    int number = super.read(bytes, offset, length);
    left -= Math.max(number, 0);
    if (left < 0) {
      throw new ProblemException(Problem.TOO_LARGE);
    }
    return number;
  }
}
