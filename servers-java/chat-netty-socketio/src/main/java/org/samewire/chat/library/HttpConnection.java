package org.samewire.chat.library;

import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.channel.socket.DuplexChannel;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.websocketx.WebSocketFrameAggregator;
import io.netty.handler.timeout.IdleStateEvent;
import io.netty.handler.timeout.IdleStateHandler;
import io.netty.util.ReferenceCountUtil;
import java.util.ArrayDeque;
import java.util.Queue;

/**
 * Gives the routes one request of a connection at a time, so that answers leave in the order of the
 * requests. Pipelined requests wait here, and the socket is not read meanwhile. The first request
 * for Socket.IO gives the connection to the library.
 */
public final class HttpConnection extends ChannelDuplexHandler {
  /** Tells a connection to end once it has answered what it was asked. */
  public static final Object STOPPING = new Object();

  /** For the rest of a request that is on its way when the server stops. */
  private static final int STOP_IDLE_SECONDS = 2;

  private final Queue<FullHttpRequest> waiting = new ArrayDeque<>();
  private FullHttpRequest current;
  private boolean answering;
  private boolean ended;
  private boolean stopping;

  /** The library would close each connection that does not begin with Socket.IO. */
  @Override
  public void channelActive(ChannelHandlerContext ctx) {}

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object request) {
    waiting.add((FullHttpRequest) request);
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
      current = waiting.remove();
      if (SessionRequests.isForSocketIo(current)) {
        handOver(ctx);
        return;
      }
      answering = true;
      ctx.fireChannelRead(current);
    }
    ctx.channel().config().setAutoRead(writable && waiting.isEmpty());
  }

  /**
   * What was pipelined behind it is dropped: the library ends the connection after an answer. The
   * library's own aggregator, behind ours, has Netty's limit of fragments.
   */
  private void handOver(ChannelHandlerContext ctx) {
    discardWaiting();
    ctx.channel().config().setAutoRead(true);
    ctx.pipeline().remove(GuardedPipeline.ROUTES);
    var fragments = new WebSocketFrameAggregator(SafeJson.MAX_PAYLOAD);
    fragments.setMaxCumulationBufferComponents(RequestAggregator.MAX_PIECES);
    ctx.pipeline().replace(this, null, new SocketConnection());
    ChannelHandlerContext connection = ctx.pipeline().context(SocketConnection.class);
    ctx.pipeline().addAfter(connection.name(), null, fragments);
    connection.fireChannelRead(current);
    if (stopping) {
      ctx.channel().close();
    }
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
    discardWaiting();
    ctx.fireChannelInactive();
  }

  private void discardWaiting() {
    waiting.forEach(ReferenceCountUtil::release);
    waiting.clear();
  }
}
