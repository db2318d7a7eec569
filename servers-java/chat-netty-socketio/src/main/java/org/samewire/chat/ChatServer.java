package org.samewire.chat;

import com.corundumstudio.socketio.AckMode;
import com.corundumstudio.socketio.Configuration;
import com.corundumstudio.socketio.SocketConfig;
import com.corundumstudio.socketio.SocketIOServer;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelOption;
import io.netty.channel.ServerChannelRecvByteBufAllocator;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.logging.LogManager;

/** One room, over HTTP and Socket.IO, on one event loop. */
final class ChatServer {
  private static final Duration STOP_LIMIT = Duration.ofSeconds(8);

  /** Connections that wait to be accepted; one look at the listener accepts all of them. */
  private static final int BACKLOG = 1024;

  /** What may wait for a client that does not read. */
  private static final int MAX_UNREAD_BYTES = 1024 * 1024;

  private final Connections connections = new Connections();
  private final Room room = new Room();
  private final Sockets sockets = new Sockets(room);
  private final SocketIOServer server;
  private final Channel listener;

  ChatServer(Settings settings) throws IOException {
    server =
        new SocketIOServer(configuration(settings)) {
          @Override
          protected void applyConnectionOptions(ServerBootstrap bootstrap) {
            super.applyConnectionOptions(bootstrap);
            bootstrap.option(
                ChannelOption.RECVBUF_ALLOCATOR,
                new ServerChannelRecvByteBufAllocator()
                    .respectMaybeMoreData(false)
                    .maxMessagesPerRead(BACKLOG));
            bootstrap.childOption(ChannelOption.ALLOW_HALF_CLOSURE, true);
          }
        };
    sockets.listenTo(server);
    server.setPipelineFactory(
        new ChatInitializer(
            connections,
            sockets,
            new HttpHandler(new Page(), room, sockets),
            new SocketGate(server)));
    var listening = (ChannelFuture) server.startAsync();
    listening.awaitUninterruptibly();
    if (!listening.isSuccess()) {
      throw new IOException(
          "cannot listen on " + settings.address() + ": " + listening.cause().getMessage());
    }
    listener = listening.channel();
  }

  /**
   * One loop: what happens in the room happens in one order, and the library, whose sessions are
   * moved between connections without a lock, never sees two threads.
   */
  private static Configuration configuration(Settings settings) {
    var sockets = new SocketConfig();
    sockets.setAcceptBackLog(BACKLOG);
    sockets.setReuseAddress(true);
    sockets.setWriteBufferWaterMarkLow(MAX_UNREAD_BYTES / 2);
    sockets.setWriteBufferWaterMarkHigh(MAX_UNREAD_BYTES);
    var configuration = new Configuration();
    configuration.setSocketConfig(sockets);
    configuration.setHostname(settings.address().getAddress().getHostAddress());
    configuration.setPort(settings.address().getPort());
    configuration.setUseLinuxNativeEpoll(true);
    configuration.setBossThreads(1);
    configuration.setWorkerThreads(1);
    configuration.setPingInterval(5_000);
    configuration.setPingTimeout(5_000);
    // The library ends the whole session so long after an attempt to go over to a WebSocket.
    configuration.setUpgradeTimeout(60_000);
    configuration.setMaxHttpContentLength(RequestAggregator.MAX_BODY);
    configuration.setMaxFramePayloadLength(RequestAggregator.MAX_BODY);
    configuration.setJsonSupport(new ChatJson());
    configuration.setAckMode(AckMode.MANUAL);
    configuration.setExceptionListener(new Failures());
    // A session id that a cookie proposes could be somebody else's.
    configuration.setRandomSession(true);
    configuration.setEnableCors(false);
    configuration.setAddVersionHeader(false);
    configuration.setHttpCompression(false);
    configuration.setWebsocketCompression(false);
    return configuration;
  }

  // #region server.stop
  /**
   * No new connections, then the requests in flight; sockets are closed. The library's own stop
   * would wait for its threads, which end with the process.
   */
  void stop() {
    try {
      // Closing resets what is in the backlog. A task that is due later runs after the loop has
      // looked at its sockets once more, and accepted all of it.
      listener.eventLoop().schedule(() -> listener.close(), 20, TimeUnit.MILLISECONDS).sync();
      listener.closeFuture().sync();
      sockets.closeAll(server);
      connections.stop(STOP_LIMIT);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  // #endregion server.stop

  public static void main(String[] args) throws IOException {
    try (InputStream logging = ChatServer.class.getResourceAsStream("/logging.properties")) {
      LogManager.getLogManager().readConfiguration(logging);
    }
    try {
      var server = new ChatServer(Settings.from(System.getenv()));
      // The JVM ends with status 143 once this is done.
      Runtime.getRuntime().addShutdownHook(new Thread(server::stop));
    } catch (Exception e) {
      System.err.println(e.getMessage());
      System.exit(1);
    }
  }
}
