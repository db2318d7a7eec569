package org.samewire.shortener;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.FixedRecvByteBufAllocator;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.GlobalEventExecutor;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.file.FileSystemOptions;
import io.vertx.core.internal.VertxInternal;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.net.InetSocketAddress;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;

/** Clients and database on the same event loops. A request stays on one thread. */
final class ShortenerServer {
  private static final System.Logger LOG = System.getLogger("shortener");

  /** So few that not many requests are in one read: Netty's codec refuses more than 128 at once. */
  private static final int READ_BYTES = 1024;

  /** Of the answers that a client does not read: above it, its next request waits. */
  private static final WriteBufferWaterMark UNREAD = new WriteBufferWaterMark(8 * 1024, 16 * 1024);

  private final ChannelGroup clients = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE);
  private final Vertx vertx = newVertx();
  private final Channel listener;

  ShortenerServer(InetSocketAddress address, Function<Vertx, Links> newLinks) throws IOException {
    EventLoopGroup loops = ((VertxInternal) vertx).nettyEventLoopGroup();
    loops.scheduleAtFixedRate(Responses::tick, 1, 1, TimeUnit.SECONDS);
    // Each event loop has its own connections to the database: no query changes threads.
    Map<EventExecutor, Links> links = new HashMap<>();
    loops.forEach(loop -> links.put(loop, newLinks.apply(vertx)));
    ChannelFuture listening =
        new ServerBootstrap()
            .group(loops)
            .channel(
                vertx.isNativeTransportEnabled()
                    ? EpollServerSocketChannel.class
                    : NioServerSocketChannel.class)
            .option(ChannelOption.SO_REUSEADDR, true)
            .childOption(
                ChannelOption.RECVBUF_ALLOCATOR,
                // One read, and then the other clients have their turn.
                new FixedRecvByteBufAllocator(READ_BYTES).maxMessagesPerRead(1))
            .childOption(ChannelOption.WRITE_BUFFER_WATER_MARK, UNREAD)
            .childHandler(new ShortenerInitializer(clients, links))
            .bind(address)
            .awaitUninterruptibly();
    if (!listening.isSuccess()) {
      throw new IOException("HOST and PORT cannot be used: " + address, listening.cause());
    }
    listener = listening.channel();
  }

  static Vertx newVertx() {
    return Vertx.vertx(
        new VertxOptions()
            .setPreferNativeTransport(true)
            .setEventLoopPoolSize(Runtime.getRuntime().availableProcessors())
            // Without a folder for temporary files.
            .setFileSystemOptions(new FileSystemOptions().setFileCachingEnabled(false)));
  }

  // #region server.stop
  /** No new connections. Requests in flight are answered, for at most 8 s. */
  void stop() {
    listener.close().awaitUninterruptibly();
    clients.forEach(client -> client.pipeline().fireUserEventTriggered(ConnectionHandler.STOPPING));
    clients.newCloseFuture().awaitUninterruptibly(8, TimeUnit.SECONDS);
    try {
      // It waits for PostgreSQL to close connections.
      vertx.close().await(1, TimeUnit.SECONDS);
    } catch (TimeoutException e) {
      LOG.log(Level.WARNING, "PostgreSQL has not closed its connections");
    }
  }

  // #endregion server.stop

  public static void main(String[] args) {
    System.setProperty(
        "java.util.logging.SimpleFormatter.format", "%1$tFT%1$tT %4$s %3$s: %5$s%6$s%n");
    try {
      var configuration = Configuration.from(System.getenv());
      // A thread that waits for the database cannot be the one that brings the answer.
      Vertx apart = configuration.blocking() ? newVertx() : null;
      var server =
          new ShortenerServer(
              configuration.address(),
              vertx ->
                  Links.in(
                      apart == null ? vertx : apart,
                      configuration.database(),
                      configuration.blocking()));
      LOG.log(Level.INFO, "listens on " + configuration.address());
      Runtime.getRuntime().addShutdownHook(new Thread(server::stop));
    } catch (IllegalArgumentException e) {
      LOG.log(Level.ERROR, e.getMessage());
      System.exit(1);
    } catch (IOException e) {
      LOG.log(Level.ERROR, "the server cannot start", e);
      System.exit(1);
    }
  }
}
