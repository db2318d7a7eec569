package org.samewire.chat;

import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPipeline;
import io.netty.handler.codec.DecoderResult;
import io.netty.handler.codec.http.DefaultFullHttpRequest;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.EmptyHttpHeaders;
import io.netty.handler.codec.http.HttpMessage;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.TooLongHttpContentException;

/**
 * Joins a request and its body. A body that is too large does not end the request here, as a wrong
 * path, method or media type counts for more: the routes get it without the body, marked by its
 * decoder result.
 */
final class RequestAggregator extends HttpObjectAggregator {
  static final int MAX_BODY = 64 * 1024;

  RequestAggregator() {
    super(MAX_BODY);
  }

  @Override
  protected Object newContinueResponse(
      HttpMessage request, int maxContentLength, ChannelPipeline pipeline) {
    if (HttpUtil.is100ContinueExpected(request)
        && !isContentLengthInvalid(request, maxContentLength)) {
      return new DefaultFullHttpResponse(
          HttpVersion.HTTP_1_1, HttpResponseStatus.CONTINUE, Unpooled.EMPTY_BUFFER);
    }
    return null;
  }

  @Override
  protected void handleOversizedMessage(ChannelHandlerContext ctx, HttpMessage message) {
    var request = (HttpRequest) message;
    var withoutBody =
        new DefaultFullHttpRequest(
            request.protocolVersion(),
            request.method(),
            request.uri(),
            Unpooled.EMPTY_BUFFER,
            request.headers(),
            EmptyHttpHeaders.INSTANCE);
    withoutBody.setDecoderResult(DecoderResult.failure(new TooLongHttpContentException()));
    ctx.fireChannelRead(withoutBody);
  }
}
