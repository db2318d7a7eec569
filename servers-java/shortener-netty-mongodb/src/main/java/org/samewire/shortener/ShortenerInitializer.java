package org.samewire.shortener;

import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoop;
import io.netty.channel.socket.SocketChannel;
import io.netty.handler.codec.http.HttpDecoderConfig;
import io.netty.handler.codec.http.HttpServerCodec;
import java.util.Map;

/** The handlers of one connection. */
final class ShortenerInitializer extends ChannelInitializer<SocketChannel> {
  private static final HttpDecoderConfig DECODER =
      new HttpDecoderConfig().setMaxInitialLineLength(8 * 1024).setMaxHeaderSize(16 * 1024);

  /** More requests than a read can hold: it is ConnectionHandler that bounds pipelining. */
  private static final int MAX_PIPELINE_DEPTH = 8 * 1024;

  private final Connections connections;
  private final Map<EventLoop, Links> links;

  ShortenerInitializer(Connections connections, Map<EventLoop, Links> links) {
    this.connections = connections;
    this.links = links;
  }

  @Override
  protected void initChannel(SocketChannel channel) {
    channel
        .pipeline()
        .addLast(new HttpServerCodec(DECODER, MAX_PIPELINE_DEPTH))
        .addLast(new ConnectionHandler(connections))
        .addLast(new RequestAggregator())
        .addLast(new ShortenerHandler(links.get(channel.eventLoop())));
  }
}
