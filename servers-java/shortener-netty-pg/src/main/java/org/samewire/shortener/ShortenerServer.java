package org.samewire.shortener;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.ServerChannelRecvByteBufAllocator;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.util.concurrent.EventExecutor;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.file.FileSystemOptions;
import io.vertx.core.internal.VertxInternal;
import io.vertx.core.transport.Transport;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.logging.LogManager;

/** Clients and database on the same event loops, one for each core. */
final class ShortenerServer {
  private static final Duration STOP_LIMIT = Duration.ofSeconds(8);

  /** Connections that wait to be accepted; one look at the listener accepts all of them. */
  private static final int BACKLOG = 1024;

  private final Connections connections = new Connections();
  private final VertxInternal vertx;
  private final Channel listener;

  ShortenerServer(Configuration configuration) throws Exception {
    vertx =
        (VertxInternal)
            Vertx.builder()
                .with(
                    new VertxOptions()
                        .setEventLoopPoolSize(Runtime.getRuntime().availableProcessors())
                        .setFileSystemOptions(
                            new FileSystemOptions()
                                .setFileCachingEnabled(false)
                                .setClassPathResolvingEnabled(false)))
                .withTransport(Transport.EPOLL)
                .build();
    EventLoopGroup loops = vertx.nettyEventLoopGroup();
    Map<EventLoop, Links> links = new HashMap<>();
    for (EventExecutor loop : loops) {
      links.put((EventLoop) loop, new Links(vertx, configuration.database()));
    }
    connect(links);
    ChannelFuture listening =
        new ServerBootstrap()
            .group(loops)
            .channel(EpollServerSocketChannel.class)
            .option(ChannelOption.SO_BACKLOG, BACKLOG)
            .option(
                ChannelOption.RECVBUF_ALLOCATOR,
                new ServerChannelRecvByteBufAllocator()
                    .respectMaybeMoreData(false)
                    .maxMessagesPerRead(BACKLOG))
            .option(ChannelOption.SO_REUSEADDR, true)
            .childOption(ChannelOption.TCP_NODELAY, true)
            .childOption(ChannelOption.ALLOW_HALF_CLOSURE, true)
            .childHandler(new ShortenerInitializer(connections, links))
            .bind(configuration.address())
            .await();
    if (!listening.isSuccess()) {
      throw new IOException(
          "cannot listen on " + configuration.address() + ": " + listening.cause().getMessage());
    }
    listener = listening.channel();
  }

  /** Each loop makes its first connection. A database that is away is no matter yet. */
  private static void connect(Map<EventLoop, Links> links) throws InterruptedException {
    var answered = new CountDownLatch(links.size());
    links.forEach(
        (loop, each) ->
            loop.execute(() -> each.connect().onComplete(answer -> answered.countDown())));
    answered.await();
  }

  // #region server.stop
  /** No new connections, then the requests in flight, then the loops. */
  void stop() {
    try {
      // Closing resets what is in the backlog. A task that is due later runs after the loop has
      // looked at its sockets once more, and accepted all of it.
      listener.eventLoop().schedule(() -> listener.close(), 20, TimeUnit.MILLISECONDS).sync();
      listener.closeFuture().sync();
      for (EventExecutor loop : listener.eventLoop().parent()) {
        loop.submit(() -> {}).sync(); // what was accepted is one of the connections by then
      }
      connections.stop(STOP_LIMIT);
      vertx.close().toCompletionStage().toCompletableFuture().get(1, TimeUnit.SECONDS);
    } catch (Exception e) {
      System.err.println("stop: " + e);
    }
  }

  // #endregion server.stop

  public static void main(String[] args) throws IOException {
    try (InputStream logging = ShortenerServer.class.getResourceAsStream("/logging.properties")) {
      LogManager.getLogManager().readConfiguration(logging);
    }
    try {
      var server = new ShortenerServer(Configuration.from(System.getenv()));
      // The JVM ends with status 143 once this is done.
      Runtime.getRuntime().addShutdownHook(new Thread(server::stop));
    } catch (Exception e) {
      System.err.println(e.getMessage());
      System.exit(1);
    }
  }
}
