package org.samewire.shortener;

import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandler.Sharable;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.handler.codec.http.HttpMessage;
import io.netty.handler.codec.http.HttpVersion;
import java.io.IOException;

/** Between Netty's codec and Vert.x. */
@Sharable
final class ClientHandler extends ChannelDuplexHandler {
  static final ClientHandler INSTANCE = new ClientHandler();

  /** Vert.x answers in the version of the request, whatever it is. A server has one of its own. */
  @Override
  public void write(ChannelHandlerContext ctx, Object message, ChannelPromise promise) {
    if (message instanceof HttpMessage response) {
      response.setProtocolVersion(HttpVersion.HTTP_1_1);
    }
    ctx.write(message, promise);
  }

  /** Vert.x fails on a reset while a pipelined request waits, and Netty logs that. */
  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    if (cause instanceof IOException) {
      ctx.close();
    } else {
      ctx.fireExceptionCaught(cause);
    }
  }
}
