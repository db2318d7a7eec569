package org.samewire.shortener;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.FixedRecvByteBufAllocator;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.GlobalEventExecutor;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.net.InetSocketAddress;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.logging.Logger;

/** Clients and database on the same event loops. A request stays on one thread. */
final class ShortenerServer {
  private static final System.Logger LOG = System.getLogger("shortener");

  /** Off: all it says is that it logs nothing without SLF4J. */
  private static final Logger DRIVER = Logger.getLogger("org.mongodb.driver");

  /** So few that not many requests are in one read: Netty's codec refuses more than 128 at once. */
  private static final int READ_BYTES = 1024;

  /** Of the answers that a client does not read: above it, its next request waits. */
  private static final WriteBufferWaterMark UNREAD = new WriteBufferWaterMark(8 * 1024, 16 * 1024);

  private final ChannelGroup clients = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE);
  private final EventLoopGroup loops =
      new MultiThreadIoEventLoopGroup(
          Runtime.getRuntime().availableProcessors(),
          Epoll.isAvailable() ? EpollIoHandler.newFactory() : NioIoHandler.newFactory());
  private final Channel listener;

  ShortenerServer(InetSocketAddress address, Function<EventLoop, Links> newLinks)
      throws IOException {
    loops.scheduleAtFixedRate(Responses::tick, 1, 1, TimeUnit.SECONDS);
    // Each event loop has its own connections to the database: an answer stays on its thread.
    Map<EventExecutor, Links> links = new HashMap<>();
    loops.forEach(loop -> links.put(loop, newLinks.apply((EventLoop) loop)));
    ChannelFuture listening =
        new ServerBootstrap()
            .group(loops)
            .channel(
                Epoll.isAvailable() ? EpollServerSocketChannel.class : NioServerSocketChannel.class)
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

  // #region server.stop
  /** No new connections. Requests in flight are answered, for at most 8 s. */
  void stop() {
    listener.close().awaitUninterruptibly();
    clients.forEach(client -> client.pipeline().fireUserEventTriggered(ConnectionHandler.STOPPING));
    clients.newCloseFuture().awaitUninterruptibly(8, TimeUnit.SECONDS);
    loops.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
  }

  // #endregion server.stop

  public static void main(String[] args) {
    System.setProperty(
        "java.util.logging.SimpleFormatter.format", "%1$tFT%1$tT %4$s %3$s: %5$s%6$s%n");
    DRIVER.setLevel(java.util.logging.Level.OFF);
    try {
      var configuration = Configuration.from(System.getenv());
      var server =
          new ShortenerServer(
              configuration.address(), loop -> Links.in(loop, configuration.database()));
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
