package org.samewire.chat;

import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelPromise;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.DuplexChannel;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpObject;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpStatusClass;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.concurrent.Future;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.TimeUnit;

/**
 * One connection: lets requests through as long as their answers are taken, and decides when the
 * connection ends. The first request for Socket.IO takes the connection over: see SocketGuard.
 */
final class ConnectionHandler extends ChannelDuplexHandler {
  /** For the head of the next request to arrive whole, and again for its body. */
  private static final long RECEIVE_NANOS = TimeUnit.SECONDS.toNanos(60);

  /** For a client to take the last answer and close. */
  private static final long LINGER_MILLIS = 2_000;

  /** For a request that is already on its way when the server stops. */
  private static final long STOP_GRACE_MILLIS = 500;

  /** Pipelined messages kept before the socket is no longer read. */
  private static final int MAX_WAITING = 64;

  private enum State {
    IDLE,
    RECEIVING,
    ANSWERING,
    ENDING
  }

  private final Connections connections;
  private final Queue<Object> waiting = new ArrayDeque<>();
  private State state = State.IDLE;
  private long stateSince = System.nanoTime();
  private HttpVersion version = HttpVersion.HTTP_1_1;
  private boolean keepAlive = true;
  private boolean inputEnded;
  private boolean reading;
  private boolean passing;
  private Future<?> deadline;

  ConnectionHandler(Connections connections) {
    this.connections = connections;
  }

  @Override
  public void channelActive(ChannelHandlerContext ctx) {
    connections.add(ctx.channel());
    watchDeadline(ctx, RECEIVE_NANOS);
    if (connections.stopping()) {
      endIfIdleAfterGrace(ctx);
    }
    ctx.fireChannelActive();
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    reading = true;
    waiting.add(message);
    passOn(ctx);
  }

  @Override
  public void channelReadComplete(ChannelHandlerContext ctx) {
    reading = false;
    ctx.flush();
    ctx.fireChannelReadComplete();
  }

  @Override
  public void channelWritabilityChanged(ChannelHandlerContext ctx) {
    passOn(ctx);
    ctx.fireChannelWritabilityChanged();
  }

  @Override
  public void write(ChannelHandlerContext ctx, Object message, ChannelPromise promise) {
    if (!(message instanceof FullHttpResponse response)
        || response.status().codeClass() == HttpStatusClass.INFORMATIONAL) {
      ctx.write(message, promise);
      return;
    }
    // An answer that comes before the end of its request leaves no way to find the next one.
    boolean last =
        !keepAlive
            || state == State.RECEIVING
            || connections.stopping()
            || !HttpUtil.isKeepAlive(response);
    HttpUtil.setKeepAlive(response.headers(), version, !last);
    ctx.write(message, promise.addListener(ChannelFutureListener.CLOSE_ON_FAILURE));
    if (last) {
      enter(State.ENDING);
      promise.addListener(written -> linger(ctx, inputEnded));
    } else {
      enter(State.IDLE);
    }
    if (!reading) {
      ctx.flush();
    }
    passOn(ctx);
  }

  @Override
  public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
    if (event == ChannelInputShutdownEvent.INSTANCE) {
      inputEnded = true;
      passOn(ctx);
    } else if (event == Connections.Event.STOPPING) {
      endIfIdleAfterGrace(ctx);
    }
    ctx.fireUserEventTriggered(event);
  }

  @Override
  public void channelInactive(ChannelHandlerContext ctx) {
    deadline.cancel(false);
    state = State.ENDING;
    discardWaiting();
    ctx.fireChannelInactive();
  }

  private void passOn(ChannelHandlerContext ctx) {
    if (passing) {
      return; // an answer written at once, from within the loop below
    }
    passing = true;
    while ((state == State.IDLE || state == State.RECEIVING)
        && ctx.channel().isWritable()
        && !waiting.isEmpty()) {
      Object message = waiting.remove();
      if (message instanceof HttpRequest request && SocketGate.isSocketIo(request)) {
        handOver(ctx, message);
        return;
      }
      note((HttpObject) message);
      ctx.fireChannelRead(message);
    }
    passing = false;
    if (state == State.ENDING) {
      discardWaiting();
    }
    if (!inputEnded) {
      ctx.channel().config().setAutoRead(waiting.size() < MAX_WAITING);
    } else if (waiting.isEmpty() && state != State.ANSWERING) {
      end(ctx); // a client may end its side and still wait for answers
    }
  }

  /**
   * The library closes each connection that it has answered on, unless it has become a WebSocket.
   */
  private void handOver(ChannelHandlerContext ctx, Object message) {
    deadline.cancel(false);
    ctx.channel().config().setOption(ChannelOption.ALLOW_HALF_CLOSURE, false);
    ctx.channel().config().setAutoRead(true);
    var guard = new SocketGuard(connections);
    ctx.pipeline().replace(this, null, guard);
    ChannelHandlerContext next = ctx.pipeline().context(guard);
    next.fireChannelRead(message);
    waiting.forEach(next::fireChannelRead);
    waiting.clear();
  }

  private void note(HttpObject message) {
    if (message instanceof HttpRequest request) {
      version = request.protocolVersion();
      keepAlive = HttpUtil.isKeepAlive(request);
      enter(State.RECEIVING);
    }
    if (message.decoderResult().isFailure()) {
      keepAlive = false;
    }
    if (message instanceof LastHttpContent) {
      enter(State.ANSWERING);
    }
  }

  private void enter(State next) {
    state = next;
    stateSince = System.nanoTime();
  }

  private void discardWaiting() {
    waiting.forEach(ReferenceCountUtil::release);
    waiting.clear();
  }

  /** Ends the connection after what is already written. */
  private void end(ChannelHandlerContext ctx) {
    enter(State.ENDING);
    ctx.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(ChannelFutureListener.CLOSE);
  }

  /**
   * Closing a socket with unread input resets it, and the reset can overtake the answer: so the
   * output is ended first and the rest of the input is thrown away for a while.
   */
  static void linger(ChannelHandlerContext ctx, boolean inputEnded) {
    if (inputEnded) {
      ctx.close();
      return;
    }
    ((DuplexChannel) ctx.channel()).shutdownOutput();
    ctx.executor().schedule(() -> ctx.close(), LINGER_MILLIS, TimeUnit.MILLISECONDS);
  }

  private void endIfIdleAfterGrace(ChannelHandlerContext ctx) {
    ctx.executor()
        .schedule(
            () -> {
              if (state == State.IDLE) {
                end(ctx);
              }
            },
            STOP_GRACE_MILLIS,
            TimeUnit.MILLISECONDS);
  }

  private void watchDeadline(ChannelHandlerContext ctx, long nanos) {
    deadline = ctx.executor().schedule(() -> checkDeadline(ctx), nanos, TimeUnit.NANOSECONDS);
  }

  private void checkDeadline(ChannelHandlerContext ctx) {
    long left = stateSince + RECEIVE_NANOS - System.nanoTime();
    if (state == State.ANSWERING) {
      watchDeadline(ctx, RECEIVE_NANOS);
    } else if (left > 0) {
      watchDeadline(ctx, left);
    } else {
      ctx.close();
    }
  }
}
