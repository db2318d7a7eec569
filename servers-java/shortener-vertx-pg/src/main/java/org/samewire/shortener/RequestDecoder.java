package org.samewire.shortener;

import io.netty.handler.codec.http.DefaultHttpRequest;
import io.netty.handler.codec.http.HttpMessage;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.TooLongHttpHeaderException;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.impl.HttpUtils;
import io.vertx.core.http.impl.VertxHttpRequestDecoder;
import io.vertx.core.http.impl.headers.HeadersMultiMap;
import java.util.function.BiConsumer;

/** Vert.x's own counts bytes of a head, but thousands of small fields take far more memory. */
final class RequestDecoder extends VertxHttpRequestDecoder {
  private static final int MAX_FIELDS = 200;

  RequestDecoder(HttpServerOptions options) {
    super(options);
  }

  @Override
  protected HttpMessage createMessage(String[] line) {
    return new DefaultHttpRequest(
        HttpVersion.valueOf(line[2]),
        HttpMethod.valueOf(line[0]),
        line[1],
        HeadersMultiMap.httpHeaders(new FewFields()));
  }

  /** Vert.x asks it about each field. */
  private static final class FewFields implements BiConsumer<CharSequence, CharSequence> {
    private int fields;

    @Override
    public void accept(CharSequence name, CharSequence value) {
      if (fields++ == MAX_FIELDS) {
        throw new TooLongHttpHeaderException("There are more than 200 fields.");
      }
      HttpUtils.validateHeader(name, value);
    }
  }
}
