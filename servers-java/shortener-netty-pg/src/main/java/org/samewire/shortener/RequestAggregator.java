package org.samewire.shortener;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPipeline;
import io.netty.handler.codec.DecoderResult;
import io.netty.handler.codec.http.DefaultFullHttpRequest;
import io.netty.handler.codec.http.HttpMessage;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.TooLongHttpContentException;

/**
 * Netty's aggregator, but refusals are left to the routes. Its own would overtake answers to
 * requests before, and are no problems. It drops the rest of a body that is too large.
 */
final class RequestAggregator extends HttpObjectAggregator {
  /** Each may hold the buffer of its read. Netty's 1,024 take 140 KB, also if each has one byte. */
  private static final int MAX_PIECES = 16;

  RequestAggregator(int maxContentLength) {
    super(maxContentLength);
    setMaxCumulationBufferComponents(MAX_PIECES);
  }

  @Override
  protected Object newContinueResponse(HttpMessage request, int max, ChannelPipeline pipeline) {
    return HttpUtil.is100ContinueExpected(request) && !isContentLengthInvalid(request, max)
        ? super.newContinueResponse(request, max, pipeline)
        : null;
  }

  @Override
  protected void handleOversizedMessage(ChannelHandlerContext ctx, HttpMessage message) {
    var request = (HttpRequest) message;
    var withoutBody =
        new DefaultFullHttpRequest(request.protocolVersion(), request.method(), request.uri());
    withoutBody.headers().set(request.headers());
    withoutBody.setDecoderResult(DecoderResult.failure(new TooLongHttpContentException()));
    ctx.fireChannelRead(withoutBody);
  }
}
