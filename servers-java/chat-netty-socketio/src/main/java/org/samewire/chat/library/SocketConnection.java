package org.samewire.chat.library;

import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.websocketx.PingWebSocketFrame;
import io.netty.handler.codec.http.websocketx.PongWebSocketFrame;
import io.netty.util.ReferenceCountUtil;

/**
 * A connection of the library. The library answers no WebSocket ping (netty-socketio#946), never
 * closes a connection that does not read, and says of a connection that it ends that it goes on.
 */
final class SocketConnection extends ChannelDuplexHandler {

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    if (message instanceof PingWebSocketFrame ping) {
      ctx.writeAndFlush(new PongWebSocketFrame(ping.content()));
    } else if (message instanceof FullHttpRequest) {
      // The connection ends after the answer to the request before.
      ReferenceCountUtil.release(message);
    } else {
      ctx.fireChannelRead(message);
    }
  }

  @Override
  public void channelWritabilityChanged(ChannelHandlerContext ctx) {
    if (!ctx.channel().isWritable()) {
      ctx.close();
    }
  }

  @Override
  public void write(ChannelHandlerContext ctx, Object message, ChannelPromise promise) {
    if (message instanceof HttpResponse response
        && !response.status().equals(HttpResponseStatus.SWITCHING_PROTOCOLS)) {
      response.headers().set(HttpHeaderNames.CONNECTION, HttpHeaderValues.CLOSE);
      // It has the id of the session, and is of no use.
      response.headers().remove(HttpHeaderNames.SET_COOKIE);
    }
    ctx.write(message, promise);
  }

  @Override
  public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
    if (event == HttpConnection.STOPPING) {
      ctx.close();
    } else {
      ctx.fireUserEventTriggered(event);
    }
  }
}
