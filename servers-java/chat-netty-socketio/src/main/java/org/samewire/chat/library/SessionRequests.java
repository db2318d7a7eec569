package org.samewire.chat.library;

import com.corundumstudio.socketio.SocketIOClient;
import com.corundumstudio.socketio.SocketIOServer;
import com.corundumstudio.socketio.Transport;
import com.corundumstudio.socketio.handler.ClientHead;
import com.corundumstudio.socketio.handler.EncoderHandler;
import com.corundumstudio.socketio.protocol.Packet;
import com.corundumstudio.socketio.protocol.PacketType;
import com.corundumstudio.socketio.transport.NamespaceClient;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandler.Sharable;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.QueryStringDecoder;
import io.netty.util.AttributeKey;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/**
 * Lets only requests through that Engine.IO 4 has. The library answers others with 500
 * (netty-socketio#372, #748), or keeps for ever what they began. It leaves a poll without an answer
 * if a second one comes, and ends a session whose client gives up an upgrade (#327).
 */
@Sharable
final class SessionRequests extends SimpleChannelInboundHandler<FullHttpRequest> {
  private static final int MAX_SESSIONS = 2_000;

  /** Of a connection: the session that may go over to it. */
  private static final AttributeKey<ClientHead> UPGRADING = AttributeKey.valueOf("upgrading");

  /** Of a session: the connection of its poll. */
  private static final String POLL = "poll";

  private final SocketIOServer server;

  SessionRequests(SocketIOServer server) {
    super(false);
    this.server = server;
  }

  static boolean isForSocketIo(HttpRequest request) {
    return request.uri().startsWith("/socket.io/?") && request.decoderResult().isSuccess();
  }

  @Override
  protected void channelRead0(ChannelHandlerContext ctx, FullHttpRequest request) {
    if (isGood(ctx.channel(), request)) {
      ctx.fireChannelRead(request);
      return;
    }
    request.release();
    var refusal =
        new DefaultFullHttpResponse(
            HttpVersion.HTTP_1_1, HttpResponseStatus.BAD_REQUEST, Unpooled.EMPTY_BUFFER);
    refusal.headers().setInt(HttpHeaderNames.CONTENT_LENGTH, 0);
    ctx.writeAndFlush(refusal).addListener(ChannelFutureListener.CLOSE);
  }

  /** A WebSocket that a session has not gone over to ends, and the session polls on. */
  @Override
  public void channelInactive(ChannelHandlerContext ctx) {
    ClientHead client = ctx.channel().attr(UPGRADING).get();
    if (client == null || client.getCurrentTransport() == Transport.WEBSOCKET) {
      ctx.fireChannelInactive();
    }
  }

  /** A poll that waits is answered with a packet that says nothing. */
  static void endPoll(ClientHead client) {
    Channel poll = client.getStore().get(POLL);
    if (poll != null && poll.isActive() && poll.attr(EncoderHandler.WRITE_ONCE).get() == null) {
      client.send(new Packet(PacketType.NOOP, client.getEngineIOVersion()), Transport.POLLING);
    }
  }

  private boolean isGood(Channel channel, FullHttpRequest request) {
    Map<String, List<String>> query;
    try {
      query = new QueryStringDecoder(request.uri()).parameters();
    } catch (IllegalArgumentException e) {
      return false;
    }
    boolean webSocket = "websocket".equals(first(query, "transport"));
    boolean gets = request.method().equals(HttpMethod.GET);
    if (!"4".equals(first(query, "EIO"))
        || webSocket && !(gets && isUpgrade(request))
        || !webSocket && !"polling".equals(first(query, "transport"))
        // Of older versions, or of this library alone.
        || query.containsKey("j")
        || query.containsKey("b64")
        || query.containsKey("disconnect")) {
      return false;
    }
    if (!query.containsKey("sid")) {
      return gets && isShort(request, query) && server.getAllClients().size() < MAX_SESSIONS;
    }
    ClientHead client = session(first(query, "sid"));
    if (client == null || client.getCurrentTransport() == Transport.WEBSOCKET) {
      return false;
    }
    if (webSocket) {
      channel.attr(UPGRADING).set(client);
    } else if (gets) {
      endPoll(client);
      client.getStore().set(POLL, channel);
    }
    return gets || request.method().equals(HttpMethod.POST);
  }

  /** The library keeps them with the session. */
  private static boolean isShort(FullHttpRequest request, Map<String, List<String>> query) {
    return request.headers().size() <= 50 && query.size() <= 10;
  }

  private ClientHead session(String id) {
    try {
      SocketIOClient client = server.getClient(UUID.fromString(id));
      return client == null ? null : ((NamespaceClient) client).getBaseClient();
    } catch (IllegalArgumentException e) {
      return null;
    }
  }

  private static boolean isUpgrade(HttpRequest request) {
    return request
            .headers()
            .containsValue(HttpHeaderNames.UPGRADE, HttpHeaderValues.WEBSOCKET, true)
        && request
            .headers()
            .containsValue(HttpHeaderNames.CONNECTION, HttpHeaderValues.UPGRADE, true)
        && "13".equals(request.headers().get(HttpHeaderNames.SEC_WEBSOCKET_VERSION))
        && request.headers().contains(HttpHeaderNames.SEC_WEBSOCKET_KEY);
  }

  private static String first(Map<String, List<String>> query, String name) {
    return query.getOrDefault(name, List.of("")).get(0);
  }
}
