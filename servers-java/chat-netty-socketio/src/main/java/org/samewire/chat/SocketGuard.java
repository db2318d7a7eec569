package org.samewire.chat;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.websocketx.BinaryWebSocketFrame;
import io.netty.handler.codec.http.websocketx.PingWebSocketFrame;
import io.netty.handler.codec.http.websocketx.PongWebSocketFrame;
import io.netty.handler.codec.http.websocketx.TextWebSocketFrame;
import io.netty.handler.codec.http.websocketx.WebSocketFrame;
import io.netty.handler.timeout.ReadTimeoutHandler;
import io.netty.util.AttributeKey;
import java.util.concurrent.TimeUnit;

/**
 * A connection of the library's: it ends when nothing comes for long, when too much waits for a
 * client that does not read, and when the server stops. Of WebSocket frames it sees to what the
 * library leaves alone.
 */
final class SocketGuard extends ReadTimeoutHandler {
  /** More than a poll or a ping may take: the library knows sooner that a session is dead. */
  private static final int IDLE_SECONDS = 30;

  /** For the last packets when the server stops. */
  private static final long STOP_GRACE_MILLIS = 500;

  /** Whether what comes next to PacketGuard is bytes; the library forgets. */
  static final AttributeKey<Boolean> BYTES = AttributeKey.valueOf("bytes");

  private final Connections connections;

  SocketGuard(Connections connections) {
    super(IDLE_SECONDS);
    this.connections = connections;
  }

  @Override
  public void handlerAdded(ChannelHandlerContext ctx) throws Exception {
    super.handlerAdded(ctx);
    if (connections.stopping()) {
      endAfterGrace(ctx);
    }
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) throws Exception {
    if (message instanceof WebSocketFrame frame) {
      if (frame.rsv() != 0) {
        frame.release();
        ctx.close();
        return;
      }
      if (frame instanceof PingWebSocketFrame) {
        ctx.writeAndFlush(new PongWebSocketFrame(frame.content()));
        return;
      }
      if (frame instanceof TextWebSocketFrame || frame instanceof BinaryWebSocketFrame) {
        ctx.channel().attr(BYTES).set(frame instanceof BinaryWebSocketFrame);
      }
    }
    super.channelRead(ctx, message);
  }

  @Override
  public void channelWritabilityChanged(ChannelHandlerContext ctx) {
    if (!ctx.channel().isWritable()) {
      ctx.close();
    }
    ctx.fireChannelWritabilityChanged();
  }

  /** The library says that it keeps a connection alive, and closes it. Its cookie is of no use. */
  @Override
  public void write(ChannelHandlerContext ctx, Object message, ChannelPromise promise)
      throws Exception {
    if (message instanceof HttpResponse response
        && !response.status().equals(HttpResponseStatus.SWITCHING_PROTOCOLS)) {
      response.headers().set(HttpHeaderNames.CONNECTION, HttpHeaderValues.CLOSE);
      response.headers().remove(HttpHeaderNames.SET_COOKIE);
    }
    super.write(ctx, message, promise);
  }

  @Override
  public void userEventTriggered(ChannelHandlerContext ctx, Object event) throws Exception {
    if (event == Connections.Event.STOPPING) {
      endAfterGrace(ctx);
    }
    super.userEventTriggered(ctx, event);
  }

  private static void endAfterGrace(ChannelHandlerContext ctx) {
    ctx.executor().schedule(() -> ctx.close(), STOP_GRACE_MILLIS, TimeUnit.MILLISECONDS);
  }
}
