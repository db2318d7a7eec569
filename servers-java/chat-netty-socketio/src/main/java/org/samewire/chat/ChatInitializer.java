package org.samewire.chat;

import com.corundumstudio.socketio.Configuration;
import com.corundumstudio.socketio.SocketIOChannelInitializer;
import com.corundumstudio.socketio.handler.EncoderHandler;
import com.corundumstudio.socketio.namespace.NamespacesHub;
import io.netty.channel.Channel;
import io.netty.channel.ChannelPipeline;
import io.netty.handler.codec.http.HttpDecoderConfig;
import io.netty.handler.codec.http.HttpServerCodec;
import java.io.IOException;
import java.io.UncheckedIOException;

/** The handlers of one connection: this server's for HTTP, then the library's. */
final class ChatInitializer extends SocketIOChannelInitializer {
  private static final HttpDecoderConfig DECODER =
      new HttpDecoderConfig().setMaxInitialLineLength(8 * 1024).setMaxHeaderSize(16 * 1024);

  /** More requests than a read can hold: it is ConnectionHandler that bounds pipelining. */
  private static final int MAX_PIPELINE_DEPTH = 8 * 1024;

  private final Connections connections;
  private final Sockets sockets;
  private final HttpHandler http;
  private final SocketGate gate;
  private final PacketGuard packets = new PacketGuard();
  private final FailureHandler failures = new FailureHandler();
  private EncoderHandler encoder;

  ChatInitializer(Connections connections, Sockets sockets, HttpHandler http, SocketGate gate) {
    this.connections = connections;
    this.sockets = sockets;
    this.http = http;
    this.gate = gate;
  }

  @Override
  public void start(Configuration configuration, NamespacesHub namespaces) {
    super.start(configuration, namespaces);
    try {
      encoder = new EncoderHandler(configuration, new PayloadEncoder(configuration));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  protected void initChannel(Channel channel) throws Exception {
    sockets.runOn(channel.eventLoop());
    super.initChannel(channel);
  }

  @Override
  protected void addSocketioHandlers(ChannelPipeline pipeline) {
    super.addSocketioHandlers(pipeline);
    pipeline.remove(HTTP_REQUEST_DECODER);
    pipeline.remove(HTTP_AGGREGATOR);
    pipeline.remove(HTTP_ENCODER);
    pipeline.replace(SOCKETIO_ENCODER, SOCKETIO_ENCODER, encoder);
    pipeline
        .addBefore(PACKET_HANDLER, null, new HttpServerCodec(DECODER, MAX_PIPELINE_DEPTH))
        .addBefore(PACKET_HANDLER, null, new ConnectionHandler(connections))
        .addBefore(PACKET_HANDLER, null, new RequestAggregator())
        .addBefore(PACKET_HANDLER, null, http)
        .addBefore(PACKET_HANDLER, null, gate)
        .addBefore(PACKET_HANDLER, null, packets)
        .addLast(failures);
  }
}
