package org.samewire.todo;

import io.netty.channel.ChannelOption;
import io.netty.channel.FixedRecvByteBufAllocator;
import io.netty.handler.timeout.WriteTimeoutHandler;
import org.springframework.boot.reactor.netty.NettyServerCustomizer;
import org.springframework.stereotype.Component;
import reactor.netty.NettyPipeline;
import reactor.netty.http.server.HttpServer;

/** Limits of connections for which Boot has no settings. */
@Component
class SlowClients implements NettyServerCustomizer {
  private static final int MAX_CONNECTIONS = 2_000;
  private static final int ANSWER_SECONDS = 60;

  /** So few that not many requests are in one read: Netty's codec refuses more than 128 at once. */
  private static final int READ_BYTES = 1_024;

  @Override
  public HttpServer apply(HttpServer server) {
    return server
        .maxConnections(MAX_CONNECTIONS)
        .childOption(
            ChannelOption.RECVBUF_ALLOCATOR,
            new FixedRecvByteBufAllocator(READ_BYTES).maxMessagesPerRead(1))
        .doOnChannelInit(
            (observer, channel, address) ->
                channel
                    .pipeline()
                    .addAfter(
                        NettyPipeline.HttpCodec,
                        "answerLimit",
                        new WriteTimeoutHandler(ANSWER_SECONDS))
                    .addAfter(NettyPipeline.HttpCodec, "requestGuard", new RequestGuard()));
  }
}
