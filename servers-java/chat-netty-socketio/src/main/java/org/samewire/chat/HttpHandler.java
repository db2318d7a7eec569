package org.samewire.chat;

import static io.netty.handler.codec.http.HttpResponseStatus.BAD_REQUEST;
import static io.netty.handler.codec.http.HttpResponseStatus.REQUEST_HEADER_FIELDS_TOO_LARGE;
import static io.netty.handler.codec.http.HttpResponseStatus.REQUEST_URI_TOO_LONG;

import io.netty.channel.ChannelHandler.Sharable;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.QueryStringDecoder;
import io.netty.handler.codec.http.TooLongHttpContentException;
import io.netty.handler.codec.http.TooLongHttpHeaderException;
import io.netty.handler.codec.http.TooLongHttpLineException;
import java.lang.System.Logger.Level;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The routes over HTTP; requests for Socket.IO go on to the library. */
@Sharable
final class HttpHandler extends SimpleChannelInboundHandler<FullHttpRequest> {
  private static final System.Logger LOG = System.getLogger("chat");

  private static final Pattern ORIGIN = Pattern.compile("(?i:https?)://[^/?#]*");
  private static final Pattern NATURAL = Pattern.compile("0|[1-9][0-9]{0,18}");
  private static final Health HEALTHY = new Health("ok");

  private record Health(String status) {}

  private record Posted(UUID room, long id, String user, String text) {}

  private record News(UUID room, List<Message> messages, long last) {}

  private record Users(UUID room, List<String> users) {}

  private final Page page;
  private final Room room;
  private final Sockets sockets;

  HttpHandler(Page page, Room room, Sockets sockets) {
    this.page = page;
    this.room = room;
    this.sockets = sockets;
  }

  /** The library would close each connection without a request for itself after a while. */
  @Override
  public void channelActive(ChannelHandlerContext ctx) {}

  @Override
  protected void channelRead0(ChannelHandlerContext ctx, FullHttpRequest request) {
    if (SocketGate.isSocketIo(request)) {
      ctx.fireChannelRead(request.retain());
      return;
    }
    FullHttpResponse response;
    try {
      response = route(request);
    } catch (ProblemException e) {
      response = Responses.problem(e.status(), e.getMessage());
    } catch (RuntimeException e) {
      LOG.log(Level.ERROR, e.toString());
      response =
          Responses.problem(HttpResponseStatus.INTERNAL_SERVER_ERROR, "Internal server error.");
    }
    ctx.write(response);
  }

  private FullHttpResponse route(FullHttpRequest request) throws ProblemException {
    HttpResponseStatus fault = fault(request);
    if (fault != null) {
      return Responses.malformed(fault);
    }
    String target;
    String path;
    try {
      target = pathAndQuery(request.uri());
      path = new QueryStringDecoder(target).path();
    } catch (IllegalArgumentException e) {
      return Responses.malformed(BAD_REQUEST);
    }
    HttpMethod method = request.method();
    boolean reads = method.equals(HttpMethod.GET) || method.equals(HttpMethod.HEAD);
    if (path.equals("/messages")) {
      return method.equals(HttpMethod.POST)
          ? post(request)
          : reads ? news(target) : Responses.notAllowed("GET, HEAD, POST");
    }
    if (!path.equals("/healthz") && !path.equals("/presence") && !page.has(path)) {
      return Responses.problem(HttpResponseStatus.NOT_FOUND, "No such resource.");
    }
    if (!reads) {
      return Responses.notAllowed("GET, HEAD");
    }
    return switch (path) {
      case "/healthz" -> Responses.json(HttpResponseStatus.OK, HEALTHY);
      case "/presence" ->
          Responses.json(HttpResponseStatus.OK, new Users(room.id(), sockets.users()));
      default -> page.get(path);
    };
  }

  private FullHttpResponse post(FullHttpRequest request) throws ProblemException {
    if (!isJson(request)) {
      throw new ProblemException(
          HttpResponseStatus.UNSUPPORTED_MEDIA_TYPE, "Content-Type must be application/json.");
    }
    if (isTooLarge(request)) {
      throw new ProblemException(ProblemException.CONTENT_TOO_LARGE, "Request body too large.");
    }
    MessageBody body = MessageBody.read(request.content());
    Message message = room.post(body.user(), body.text());
    sockets.deliver(message);
    return Responses.json(
        HttpResponseStatus.CREATED,
        new Posted(room.id(), message.id(), message.user(), message.text()));
  }

  /** A name is checked and has no other meaning: who is here has joined over Socket.IO. */
  private FullHttpResponse news(String target) throws ProblemException {
    String after = parameter(target, "after");
    long id = after == null ? 0 : natural(after);
    if (id < 0) {
      throw new ProblemException(BAD_REQUEST, "after must be a non-negative integer.");
    }
    String user = parameter(target, "user");
    if (user != null && !Rules.isUser(user)) {
      throw new ProblemException(BAD_REQUEST, Rules.USER);
    }
    return Responses.json(HttpResponseStatus.OK, new News(room.id(), room.after(id), room.last()));
  }

  /** The status for a request that is not to be served at all, or null. */
  private static HttpResponseStatus fault(FullHttpRequest request) {
    Throwable cause = request.decoderResult().cause();
    if (cause instanceof TooLongHttpLineException) {
      return REQUEST_URI_TOO_LONG;
    }
    if (cause instanceof TooLongHttpHeaderException) {
      return REQUEST_HEADER_FIELDS_TOO_LARGE;
    }
    if (cause != null && !isTooLarge(request)) {
      return BAD_REQUEST;
    }
    HttpVersion version = request.protocolVersion();
    int hosts = request.headers().getAll(HttpHeaderNames.HOST).size();
    boolean hostFits = hosts == 1 || hosts == 0 && version.equals(HttpVersion.HTTP_1_0);
    // The aggregator takes "chunked" away: what is left is a coding that nobody undoes.
    boolean coded = request.headers().contains(HttpHeaderNames.TRANSFER_ENCODING);
    return version.majorVersion() == 1 && hostFits && !coded ? null : BAD_REQUEST;
  }

  /** A request target in origin or absolute form, without the origin. */
  private static String pathAndQuery(String target) {
    if (target.startsWith("/")) {
      return target;
    }
    Matcher origin = ORIGIN.matcher(target);
    if (!origin.lookingAt()) {
      throw new IllegalArgumentException("neither a path nor a URL");
    }
    String rest = target.substring(origin.end());
    return rest.startsWith("/") ? rest : "/" + rest;
  }

  /** The first value of a parameter, or null. Netty's decoder takes {@code ;} for a separator. */
  private static String parameter(String target, String name) {
    int query = target.indexOf('?');
    if (query < 0) {
      return null;
    }
    for (String parameter : target.substring(query + 1).split("#", 2)[0].split("&")) {
      String[] pair = parameter.split("=", 2);
      if (decoded(pair[0]).equals(name)) {
        return pair.length == 1 ? "" : decoded(pair[1]);
      }
    }
    return null;
  }

  /** What cannot be decoded stays as it is. */
  private static String decoded(String text) {
    try {
      return URLDecoder.decode(text, StandardCharsets.UTF_8);
    } catch (IllegalArgumentException e) {
      return text;
    }
  }

  /**
   * The value of ASCII digits without sign or leading zero, -1 if it is not that or over 64 bits.
   */
  private static long natural(String text) {
    try {
      return NATURAL.matcher(text).matches() ? Long.parseLong(text) : -1;
    } catch (NumberFormatException e) {
      return -1;
    }
  }

  private static boolean isJson(FullHttpRequest request) {
    CharSequence type = HttpUtil.getMimeType(request);
    return type != null
        && HttpHeaderValues.APPLICATION_JSON.contentEqualsIgnoreCase(type.toString().trim())
        && request.headers().getAll(HttpHeaderNames.CONTENT_ENCODING).stream()
            .allMatch(HttpHeaderValues.IDENTITY::contentEqualsIgnoreCase);
  }

  private static boolean isTooLarge(FullHttpRequest request) {
    return request.decoderResult().cause() instanceof TooLongHttpContentException;
  }
}
