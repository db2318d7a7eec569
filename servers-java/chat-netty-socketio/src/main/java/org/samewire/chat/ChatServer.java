package org.samewire.chat;

import com.corundumstudio.socketio.Configuration;
import com.corundumstudio.socketio.SocketIOServer;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.util.concurrent.GlobalEventExecutor;
import java.io.IOException;
import java.io.InputStream;
import java.lang.System.Logger.Level;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;
import java.util.logging.LogManager;
import org.samewire.chat.library.Failures;
import org.samewire.chat.library.GuardedPipeline;
import org.samewire.chat.library.HttpConnection;
import org.samewire.chat.library.SafeJson;
import org.samewire.chat.library.SlowPolls;

/** netty-socketio, with routes over HTTP on the same port. */
final class ChatServer {
  private static final System.Logger LOG = System.getLogger(ChatServer.class.getName());
  private static final int MAX_UNREAD_BYTES = 1024 * 1024;

  private final ChannelGroup connections = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE);
  private final Chat chat;
  private final Channel listener;

  ChatServer(InetSocketAddress address) throws IOException {
    var server = new SocketIOServer(configuration(address));
    var slowPolls = new SlowPolls(server);
    chat = new Chat(server, slowPolls);
    server.setPipelineFactory(
        new GuardedPipeline(server, slowPolls, connections, new ChatRoutes(chat)));
    var listening = (ChannelFuture) server.startAsync();
    if (!listening.awaitUninterruptibly().isSuccess()) {
      throw new IOException("HOST and PORT cannot be used: " + address, listening.cause());
    }
    listener = listening.channel();
  }

  private static Configuration configuration(InetSocketAddress address) {
    var configuration = new Configuration();
    configuration.setHostname(address.getAddress().getHostAddress());
    configuration.setPort(address.getPort());
    configuration.setUseLinuxNativeEpoll(Epoll.isAvailable());
    // One event loop: the library moves sessions between connections without a lock.
    configuration.setWorkerThreads(1);
    configuration.setBossThreads(1);
    configuration.getSocketConfig().setReuseAddress(true);
    configuration.getSocketConfig().setWriteBufferWaterMarkLow(MAX_UNREAD_BYTES / 2);
    configuration.getSocketConfig().setWriteBufferWaterMarkHigh(MAX_UNREAD_BYTES);
    configuration.setPingInterval(5_000);
    configuration.setPingTimeout(5_000);
    // The library ends a session so long after an upgrade that its client has given up, and keeps
    // the timer if the session ends before.
    configuration.setUpgradeTimeout(600_000);
    configuration.setMaxHttpContentLength(SafeJson.MAX_PAYLOAD);
    configuration.setMaxFramePayloadLength(SafeJson.MAX_PAYLOAD);
    configuration.setJsonSupport(new SafeJson());
    configuration.setExceptionListener(new Failures.OfEvents());
    // Else a client may choose the id of its session, such as another's.
    configuration.setRandomSession(true);
    configuration.setEnableCors(false);
    configuration.setAddVersionHeader(false);
    configuration.setHttpCompression(false);
    configuration.setWebsocketCompression(false);
    return configuration;
  }

  // #region server.stop
  /** No new connections. Requests in flight are answered, for at most 8 s. */
  void stop() {
    listener.close().awaitUninterruptibly();
    chat.close();
    connections.forEach(one -> one.pipeline().fireUserEventTriggered(HttpConnection.STOPPING));
    connections.newCloseFuture().awaitUninterruptibly(8, TimeUnit.SECONDS);
  }

  // #endregion server.stop

  public static void main(String[] arguments) throws IOException {
    try (InputStream logging = ChatServer.class.getResourceAsStream("/logging.properties")) {
      LogManager.getLogManager().readConfiguration(logging);
    }
    try {
      InetSocketAddress address = Settings.from(System.getenv()).address();
      var server = new ChatServer(address);
      LOG.log(Level.INFO, "Listens on " + address);
      Runtime.getRuntime().addShutdownHook(new Thread(server::stop));
    } catch (IllegalArgumentException e) {
      LOG.log(Level.ERROR, e.getMessage());
      System.exit(1);
    } catch (IOException e) {
      LOG.log(Level.ERROR, "The server cannot start", e);
      System.exit(1);
    }
  }
}
