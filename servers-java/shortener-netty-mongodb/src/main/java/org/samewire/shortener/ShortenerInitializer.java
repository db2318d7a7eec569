package org.samewire.shortener;

import io.netty.channel.ChannelInitializer;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.socket.SocketChannel;
import io.netty.handler.codec.http.HttpDecoderConfig;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.timeout.ReadTimeoutHandler;
import io.netty.util.concurrent.EventExecutor;
import java.util.Map;

/** The handlers of one connection. */
final class ShortenerInitializer extends ChannelInitializer<SocketChannel> {
  private static final int MAX_CONNECTIONS = 8_192;
  private static final int MAX_LINE = 8 * 1024;
  private static final int MAX_HEAD = 8 * 1024;
  private static final int MAX_BODY = 8 * 1024;
  private static final int REQUEST_SECONDS = 60;

  private final ChannelGroup clients;
  private final Map<EventExecutor, Links> links;

  ShortenerInitializer(ChannelGroup clients, Map<EventExecutor, Links> links) {
    this.clients = clients;
    this.links = links;
  }

  @Override
  protected void initChannel(SocketChannel channel) {
    if (clients.size() >= MAX_CONNECTIONS) {
      channel.close();
      return;
    }
    clients.add(channel);
    channel
        .pipeline()
        .addLast(
            new HttpServerCodec(
                new HttpDecoderConfig()
                    .setMaxInitialLineLength(MAX_LINE)
                    .setMaxHeaderSize(MAX_HEAD)
                    .setHeadersFactory(FewHeaders.FACTORY)))
        .addLast(new RequestAggregator(MAX_BODY))
        // Here it sees whole requests only. A request that comes byte by byte gains no time.
        .addLast(new ReadTimeoutHandler(REQUEST_SECONDS))
        .addLast(new ConnectionHandler())
        .addLast(new ShortenerHandler(links.get(channel.eventLoop())));
  }
}
