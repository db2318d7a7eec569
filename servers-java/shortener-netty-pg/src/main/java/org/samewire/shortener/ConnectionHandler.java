package org.samewire.shortener;

import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.channel.socket.DuplexChannel;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.timeout.IdleStateEvent;
import io.netty.handler.timeout.IdleStateHandler;
import io.netty.util.ReferenceCountUtil;
import java.util.ArrayDeque;
import java.util.Queue;

/**
 * Gives the routes one request of a connection at a time, so that answers leave in the order of the
 * requests. Pipelined requests wait here, and the socket is not read meanwhile. Each answer says
 * whether the connection goes on.
 */
final class ConnectionHandler extends ChannelDuplexHandler {
  /** Tells a connection to end once it has answered what it was asked. */
  static final Object STOPPING = new Object();

  /** For the rest of a request that is on its way when the server stops. */
  private static final int STOP_IDLE_SECONDS = 2;

  private final Queue<Object> waiting = new ArrayDeque<>();
  private FullHttpRequest current;
  private boolean answering;
  private boolean ended;
  private boolean stopping;

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object request) {
    waiting.add(request);
    next(ctx);
  }

  @Override
  public void channelWritabilityChanged(ChannelHandlerContext ctx) {
    next(ctx);
  }

  private void next(ChannelHandlerContext ctx) {
    // A client that does not take its answers gets no more of them.
    boolean writable = ctx.channel().isWritable();
    if (writable && !answering && !ended && !waiting.isEmpty()) {
      answering = true;
      current = (FullHttpRequest) waiting.remove();
      ctx.fireChannelRead(current);
    }
    ctx.channel().config().setAutoRead(writable && waiting.isEmpty());
  }

  @Override
  public void write(ChannelHandlerContext ctx, Object message, ChannelPromise promise) {
    var response = (FullHttpResponse) message;
    answering = false;
    ended =
        stopping
            || !HttpUtil.isKeepAlive(current)
            || !HttpUtil.isKeepAlive(response)
            || current.decoderResult().isFailure();
    HttpUtil.setKeepAlive(response.headers(), current.protocolVersion(), !ended);
    ctx.write(response, promise);
    if (ended) {
      // Closing resets a connection with unread input, and the answer may be lost. So only the
      // output ends. Netty closes the rest when the client does.
      promise.addListener(written -> ((DuplexChannel) ctx.channel()).shutdownOutput());
    } else if (!waiting.isEmpty()) {
      ctx.executor().execute(() -> next(ctx));
    }
  }

  @Override
  public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
    if (event == STOPPING) {
      stopping = true;
      ctx.pipeline().addFirst(new IdleStateHandler(0, 0, STOP_IDLE_SECONDS));
    } else if (event instanceof IdleStateEvent && !answering) {
      ctx.close();
    }
  }

  @Override
  public void channelInactive(ChannelHandlerContext ctx) {
    waiting.forEach(ReferenceCountUtil::release);
    waiting.clear();
    ctx.fireChannelInactive();
  }
}
