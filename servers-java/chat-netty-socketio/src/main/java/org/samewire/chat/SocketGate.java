package org.samewire.chat;

import com.corundumstudio.socketio.SocketIOClient;
import com.corundumstudio.socketio.SocketIOServer;
import com.corundumstudio.socketio.Transport;
import com.corundumstudio.socketio.handler.ClientHead;
import com.corundumstudio.socketio.handler.EncoderHandler;
import com.corundumstudio.socketio.protocol.Packet;
import com.corundumstudio.socketio.protocol.PacketType;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler.Sharable;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.QueryStringDecoder;
import io.netty.handler.codec.http.TooLongHttpContentException;
import io.netty.util.AttributeKey;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/**
 * Lets only those requests through to the library that Engine.IO 4 has. Others it would answer with
 * 500 or not at all, some would leave a session behind for ever.
 */
@Sharable
final class SocketGate extends SimpleChannelInboundHandler<FullHttpRequest> {
  private static final String PATH = "/socket.io";

  /** Of a connection: whose poll it is. */
  private static final AttributeKey<ClientHead> POLLING = AttributeKey.valueOf("polling");

  /** Of a connection: whose transport it would be. */
  private static final AttributeKey<ClientHead> PROBING = AttributeKey.valueOf("probing");

  /** Of a session: its poll. */
  private static final String POLL = "poll";

  /** Of a session: the WebSocket that it will go over to. */
  private static final String PROBE = "probe";

  /** The refusals of Engine.IO, with its numbers. */
  private enum Refusal {
    TRANSPORT(0, "Transport unknown"),
    SESSION(1, "Session ID unknown"),
    METHOD(2, "Bad handshake method"),
    REQUEST(3, "Bad request"),
    VERSION(5, "Unsupported protocol version");

    private record Body(int code, String message) {}

    private final Body body;

    Refusal(int code, String message) {
      body = new Body(code, message);
    }

    FullHttpResponse response() {
      return Responses.json(HttpResponseStatus.BAD_REQUEST, body);
    }
  }

  private final SocketIOServer server;

  SocketGate(SocketIOServer server) {
    super(false);
    this.server = server;
  }

  static boolean isSocketIo(HttpRequest request) {
    String target = request.uri();
    return target.startsWith(PATH)
        && (target.length() == PATH.length() || "/?".indexOf(target.charAt(PATH.length())) >= 0);
  }

  @Override
  protected void channelRead0(ChannelHandlerContext ctx, FullHttpRequest request) {
    FullHttpResponse refusal = refusal(ctx.channel(), request);
    if (refusal == null) {
      ctx.fireChannelRead(request);
      ClientHead polling = ctx.channel().attr(POLLING).get();
      if (polling != null && polling.getStore().has(PROBE)) {
        letPollGo(polling);
      }
      return;
    }
    request.release();
    ctx.writeAndFlush(refusal)
        .addListener(written -> ConnectionHandler.linger(ctx, !ctx.channel().isActive()));
  }

  /** Who cuts a poll has left. Who gives up going over to a WebSocket polls on. */
  @Override
  public void channelInactive(ChannelHandlerContext ctx) {
    ClientHead polling = ctx.channel().attr(POLLING).getAndSet(null);
    if (polling != null && waits(ctx.channel())) {
      Sockets.end(polling);
    }
    ClientHead probing = ctx.channel().attr(PROBING).getAndSet(null);
    if (probing != null && probing.getCurrentTransport() == Transport.POLLING) {
      probing.getStore().del(PROBE);
      return;
    }
    ctx.fireChannelInactive();
  }

  /** Answers the first packet on a WebSocket that a session may go over to. */
  static void answerProbe(ClientHead client, Channel channel) {
    client.getStore().set(PROBE, channel);
    var pong = new Packet(PacketType.PONG, client.getEngineIOVersion());
    pong.setData("probe");
    client.send(pong, Transport.WEBSOCKET);
    letPollGo(client);
  }

  static boolean isProbed(ClientHead client, Channel channel) {
    return channel.equals(client.getStore().get(PROBE));
  }

  /** With a packet that says nothing, if one waits: it would be the first on the WebSocket. */
  static void letPollGo(ClientHead client) {
    Channel poll = client.getStore().get(POLL);
    if (poll != null && waits(poll)) {
      client.send(new Packet(PacketType.NOOP, client.getEngineIOVersion()), Transport.POLLING);
    }
  }

  private static boolean waits(Channel poll) {
    return poll.attr(EncoderHandler.WRITE_ONCE).get() == null;
  }

  private FullHttpResponse refusal(Channel channel, FullHttpRequest request) {
    if (request.decoderResult().cause() instanceof TooLongHttpContentException) {
      return Responses.problem(ProblemException.CONTENT_TOO_LARGE, "Request body too large.");
    }
    if (request.decoderResult().isFailure()) {
      return Responses.malformed(HttpResponseStatus.BAD_REQUEST);
    }
    Refusal refusal;
    try {
      var target = new QueryStringDecoder(request.uri());
      if (!target.path().equals(PATH + "/")) {
        return Responses.problem(HttpResponseStatus.NOT_FOUND, "No such resource.");
      }
      refusal = refusal(channel, request, target.parameters());
    } catch (IllegalArgumentException e) {
      refusal = Refusal.REQUEST;
    }
    return refusal == null ? null : refusal.response();
  }

  private Refusal refusal(
      Channel channel, HttpRequest request, Map<String, List<String>> parameters) {
    if (!"4".equals(first(parameters, "EIO"))) {
      return Refusal.VERSION;
    }
    String transport = first(parameters, "transport");
    boolean webSocket = "websocket".equals(transport);
    if (!webSocket && !"polling".equals(transport)) {
      return Refusal.TRANSPORT;
    }
    // Of Engine.IO 3, or of this library alone.
    if (parameters.containsKey("j")
        || parameters.containsKey("b64")
        || parameters.containsKey("disconnect")) {
      return Refusal.REQUEST;
    }
    if (webSocket && !isUpgrade(request)) {
      return Refusal.REQUEST;
    }
    String sid = first(parameters, "sid");
    if (sid == null) {
      return request.method().equals(HttpMethod.GET) ? null : Refusal.METHOD;
    }
    SocketIOClient client = session(sid);
    if (client == null) {
      return Refusal.SESSION;
    }
    ClientHead head = Sockets.head(client);
    if (head.getCurrentTransport() == Transport.WEBSOCKET) {
      return Refusal.REQUEST;
    }
    if (webSocket) {
      channel.attr(PROBING).set(head);
      return null;
    }
    return mayPoll(head, channel, request.method()) ? null : Refusal.REQUEST;
  }

  /** One poll at a time: a second one ends the session. */
  private static boolean mayPoll(ClientHead client, Channel channel, HttpMethod method) {
    if (method.equals(HttpMethod.POST)) {
      return true;
    }
    if (!method.equals(HttpMethod.GET)) {
      return false;
    }
    Channel poll = client.getStore().get(POLL);
    if (poll != null && poll.isActive() && waits(poll)) {
      Sockets.end(client);
      return false;
    }
    client.getStore().set(POLL, channel);
    channel.attr(POLLING).set(client);
    return true;
  }

  private SocketIOClient session(String sid) {
    try {
      return server.getClient(UUID.fromString(sid));
    } catch (IllegalArgumentException e) {
      return null;
    }
  }

  private static boolean isUpgrade(HttpRequest request) {
    return request.method().equals(HttpMethod.GET)
        && request
            .headers()
            .containsValue(HttpHeaderNames.UPGRADE, HttpHeaderValues.WEBSOCKET, true)
        && request
            .headers()
            .containsValue(HttpHeaderNames.CONNECTION, HttpHeaderValues.UPGRADE, true)
        && "13".equals(request.headers().get(HttpHeaderNames.SEC_WEBSOCKET_VERSION))
        && request.headers().contains(HttpHeaderNames.SEC_WEBSOCKET_KEY);
  }

  private static String first(Map<String, List<String>> parameters, String name) {
    List<String> values = parameters.get(name);
    return values == null ? null : values.get(0);
  }
}
