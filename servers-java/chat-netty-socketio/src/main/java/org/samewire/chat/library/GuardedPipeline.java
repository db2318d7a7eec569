package org.samewire.chat.library;

import com.corundumstudio.socketio.Configuration;
import com.corundumstudio.socketio.SocketIOChannelInitializer;
import com.corundumstudio.socketio.SocketIOServer;
import com.corundumstudio.socketio.handler.EncoderHandler;
import com.corundumstudio.socketio.namespace.NamespacesHub;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.FixedRecvByteBufAllocator;
import io.netty.channel.group.ChannelGroup;
import io.netty.handler.codec.http.HttpDecoderConfig;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.timeout.ReadTimeoutHandler;
import java.io.IOException;
import java.io.UncheckedIOException;

/** The library's handlers of a connection, and before them ours. */
public final class GuardedPipeline extends SocketIOChannelInitializer {
  /** The name of the handler for what is not Socket.IO. */
  static final String ROUTES = "routes";

  private static final int MAX_CONNECTIONS = 2_000;
  private static final int MAX_HEAD = 8 * 1024;
  private static final int REQUEST_SECONDS = 60;

  /** So few that not many requests are in one read. They wait in memory. */
  private static final int READ_BYTES = 1024;

  private final ChannelGroup connections;
  private final ChannelHandler routes;
  private final SessionRequests sessions;
  private final PacketGuard packets;
  private final UnreadBytes unread = new UnreadBytes();
  private final Failures failures = new Failures();
  private EncoderHandler encoder;

  public GuardedPipeline(
      SocketIOServer server, SlowPolls slowPolls, ChannelGroup connections, ChannelHandler routes) {
    this.connections = connections;
    this.routes = routes;
    this.sessions = new SessionRequests(server);
    this.packets = new PacketGuard(slowPolls);
  }

  @Override
  public void start(Configuration configuration, NamespacesHub namespaces) {
    super.start(configuration, namespaces);
    try {
      encoder = new EncoderHandler(configuration, new PollEncoder(configuration));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  protected void initChannel(Channel channel) throws Exception {
    if (connections.size() >= MAX_CONNECTIONS) {
      channel.close();
      return;
    }
    connections.add(channel);
    // One read, and then the other clients have their turn.
    channel
        .config()
        .setRecvByteBufAllocator(new FixedRecvByteBufAllocator(READ_BYTES).maxMessagesPerRead(1));
    super.initChannel(channel);
  }

  @Override
  protected void addSocketioHandlers(ChannelPipeline pipeline) {
    super.addSocketioHandlers(pipeline);
    pipeline.remove(HTTP_REQUEST_DECODER);
    pipeline.remove(HTTP_AGGREGATOR);
    pipeline.remove(HTTP_ENCODER);
    pipeline.replace(SOCKETIO_ENCODER, SOCKETIO_ENCODER, encoder);
    var decoder =
        new HttpDecoderConfig()
            .setMaxInitialLineLength(MAX_HEAD)
            .setMaxHeaderSize(MAX_HEAD)
            .setHeadersFactory(FewHeaders.FACTORY);
    pipeline
        .addBefore(PACKET_HANDLER, null, new HttpServerCodec(decoder))
        .addBefore(PACKET_HANDLER, null, new RequestAggregator(SafeJson.MAX_PAYLOAD))
        // Here it sees whole requests and frames only. One that comes byte by byte gains no time.
        .addBefore(PACKET_HANDLER, null, new ReadTimeoutHandler(REQUEST_SECONDS))
        .addBefore(PACKET_HANDLER, null, new HttpConnection())
        .addBefore(PACKET_HANDLER, ROUTES, routes)
        .addBefore(PACKET_HANDLER, null, sessions)
        .addBefore(PACKET_HANDLER, null, packets)
        .addFirst(unread)
        .addLast(failures);
  }
}
