package org.samewire.chat.library;

import io.netty.handler.codec.http.DefaultHttpHeaders;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpHeadersFactory;
import io.netty.handler.codec.http.TooLongHttpHeaderException;

/** Netty counts the bytes of a head, but thousands of small fields take far more memory. */
final class FewHeaders extends DefaultHttpHeaders {
  static final HttpHeadersFactory FACTORY =
      new HttpHeadersFactory() {
        @Override
        public HttpHeaders newHeaders() {
          return new FewHeaders();
        }

        @Override
        public HttpHeaders newEmptyHeaders() {
          return new FewHeaders();
        }
      };

  private static final int MAX_FIELDS = 200;

  @Override
  public HttpHeaders add(CharSequence name, Object value) {
    if (size() == MAX_FIELDS) {
      throw new TooLongHttpHeaderException("There are more than 200 fields.");
    }
    return super.add(name, value);
  }
}
