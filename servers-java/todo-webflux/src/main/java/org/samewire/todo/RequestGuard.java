package org.samewire.todo;

import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.handler.codec.DecoderResult;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpStatusClass;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/**
 * Stands between Netty's codec and Reactor Netty, which would read on while a request is answered,
 * and keep what comes in a queue without a limit. It also gives a request 40 seconds to be whole,
 * whether or not it is answered before.
 */
final class RequestGuard extends ChannelDuplexHandler {
  private static final int REQUEST_SECONDS = 40;

  /** Requests that are whole, less those that are answered. */
  private int unanswered;

  private boolean incomplete;
  private Future<?> deadline;

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    if (message instanceof HttpRequest request) {
      incomplete = true;
      if (!hasHost(request)) {
        request.setDecoderResult(DecoderResult.failure(new IllegalArgumentException("no Host")));
      }
    }
    if (message instanceof LastHttpContent) {
      unanswered++;
      incomplete = false;
      stopDeadline();
    }
    ctx.fireChannelRead(message);
  }

  @Override
  public void channelReadComplete(ChannelHandlerContext ctx) {
    if (incomplete && deadline == null) {
      deadline = ctx.executor().schedule(() -> ctx.close(), REQUEST_SECONDS, TimeUnit.SECONDS);
    }
    ctx.fireChannelReadComplete();
  }

  @Override
  public void read(ChannelHandlerContext ctx) {
    // Reactor Netty reads again after each answer.
    if (unanswered <= 0) {
      ctx.read();
    }
  }

  @Override
  public void write(ChannelHandlerContext ctx, Object message, ChannelPromise promise) {
    if (message instanceof HttpResponse response
        && !response.protocolVersion().equals(HttpVersion.HTTP_1_1)) {
      // Reactor Netty answers in the client's version, be it 1.0 or 7.3.
      boolean keepAlive = HttpUtil.isKeepAlive(response);
      response.setProtocolVersion(HttpVersion.HTTP_1_1);
      HttpUtil.setKeepAlive(response, keepAlive);
    }
    if (message instanceof LastHttpContent && !isInformational(message)) {
      unanswered--;
    }
    ctx.write(message, promise);
  }

  @Override
  public void channelInactive(ChannelHandlerContext ctx) {
    stopDeadline();
    ctx.fireChannelInactive();
  }

  private void stopDeadline() {
    if (deadline != null) {
      deadline.cancel(false);
      deadline = null;
    }
  }

  private static boolean hasHost(HttpRequest request) {
    return request.headers().contains(HttpHeaderNames.HOST)
        || request.protocolVersion().equals(HttpVersion.HTTP_1_0);
  }

  private static boolean isInformational(Object message) {
    return message instanceof HttpResponse response
        && response.status().codeClass() == HttpStatusClass.INFORMATIONAL;
  }
}
