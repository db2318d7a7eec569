package org.samewire.chat;

import static io.netty.handler.codec.http.HttpResponseStatus.BAD_REQUEST;
import static io.netty.handler.codec.http.HttpResponseStatus.CREATED;
import static io.netty.handler.codec.http.HttpResponseStatus.INTERNAL_SERVER_ERROR;
import static io.netty.handler.codec.http.HttpResponseStatus.NOT_FOUND;
import static io.netty.handler.codec.http.HttpResponseStatus.OK;
import static io.netty.handler.codec.http.HttpResponseStatus.REQUEST_HEADER_FIELDS_TOO_LARGE;
import static io.netty.handler.codec.http.HttpResponseStatus.REQUEST_URI_TOO_LONG;
import static io.netty.handler.codec.http.HttpResponseStatus.UNSUPPORTED_MEDIA_TYPE;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.netty.buffer.ByteBufInputStream;
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
import java.io.IOException;
import java.io.InputStream;
import java.lang.System.Logger.Level;
import java.util.List;

/** The routes over HTTP. */
@Sharable
final class ChatRoutes extends SimpleChannelInboundHandler<FullHttpRequest> {
  private static final System.Logger LOG = System.getLogger(ChatRoutes.class.getName());

  private static final ObjectMapper JSON =
      new ObjectMapper().enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS);

  private static final HttpResponseStatus CONTENT_TOO_LARGE =
      new HttpResponseStatus(413, "Content Too Large");

  private final Chat chat;

  ChatRoutes(Chat chat) {
    this.chat = chat;
  }

  @Override
  protected void channelRead0(ChannelHandlerContext ctx, FullHttpRequest request) {
    FullHttpResponse response;
    try {
      response = route(request);
    } catch (ProblemException e) {
      response = Responses.problem(e.status(), e.getMessage());
    } catch (IOException | RuntimeException e) {
      LOG.log(Level.ERROR, "A request fails", e);
      response = Responses.problem(INTERNAL_SERVER_ERROR, "The server made a mistake.");
    }
    ctx.writeAndFlush(response);
  }

  private FullHttpResponse route(FullHttpRequest request) throws IOException {
    if (request.decoderResult().isFailure()) {
      return unreadable(request.decoderResult().cause());
    }
    boolean hasHost = request.headers().getAll(HttpHeaderNames.HOST).size() == 1;
    if (!hasHost && !request.protocolVersion().equals(HttpVersion.HTTP_1_0)
        // The aggregator takes "chunked" away. Nobody undoes another coding.
        || request.headers().contains(HttpHeaderNames.TRANSFER_ENCODING)) {
      return Responses.malformed(BAD_REQUEST);
    }
    var target = new QueryStringDecoder(request.uri());
    String path = path(target);
    boolean reads =
        request.method().equals(HttpMethod.GET) || request.method().equals(HttpMethod.HEAD);
    if (path.equals("/messages")) {
      return request.method().equals(HttpMethod.POST)
          ? post(request)
          : reads ? news(target) : Responses.notAllowed("GET, HEAD, POST");
    }
    if (!path.equals("/healthz") && !path.equals("/presence") && !Page.has(path)) {
      throw new ProblemException(NOT_FOUND, "There is no such resource.");
    }
    if (!reads) {
      return Responses.notAllowed("GET, HEAD");
    }
    return switch (path) {
      case "/healthz" -> Responses.content(OK, "text/plain", (byte) 'o', (byte) 'k');
      case "/presence" -> Responses.json(OK, chat.presence());
      default -> Page.get(path);
    };
  }

  private FullHttpResponse post(FullHttpRequest request) throws IOException {
    CharSequence type = HttpUtil.getMimeType(request);
    if (!HttpHeaderValues.APPLICATION_JSON.contentEqualsIgnoreCase(type)) {
      throw new ProblemException(UNSUPPORTED_MEDIA_TYPE, "Content-Type must be application/json.");
    }
    JsonNode body = json(request);
    String user = body.path("user").textValue();
    String text = body.path("text").textValue();
    check(Message.isUser(user), Message.USER_RULE);
    check(Message.isText(text), Message.TEXT_RULE);
    return Responses.json(CREATED, chat.post(user, text));
  }

  private static JsonNode json(FullHttpRequest request) throws IOException {
    try (InputStream body = new ByteBufInputStream(request.content())) {
      return JSON.readTree(body);
    } catch (IOException e) {
      throw new ProblemException(BAD_REQUEST, "The body is not JSON.");
    }
  }

  /** Here the name means nothing: only those who join over Socket.IO are present. */
  private FullHttpResponse news(QueryStringDecoder target) {
    long after;
    try {
      after = Long.parseLong(first(target, "after", "0"));
    } catch (NumberFormatException e) {
      after = -1;
    }
    check(after >= 0, "after must be an integer of at least 0.");
    check(Message.isUser(first(target, "user", "nobody")), Message.USER_RULE);
    return Responses.json(OK, chat.after(after));
  }

  private static String first(QueryStringDecoder target, String name, String otherwise) {
    return target.parameters().getOrDefault(name, List.of(otherwise)).get(0);
  }

  private static void check(boolean kept, String rule) {
    if (!kept) {
      throw new ProblemException(BAD_REQUEST, rule);
    }
  }

  private static String path(QueryStringDecoder target) {
    try {
      // Fails here, and not later, if the query is malformed.
      target.parameters();
      return target.path();
    } catch (IllegalArgumentException e) {
      throw new ProblemException(BAD_REQUEST, "The target is not validly percent-encoded.");
    }
  }

  private static FullHttpResponse unreadable(Throwable cause) {
    if (cause instanceof TooLongHttpContentException) {
      return Responses.problem(CONTENT_TOO_LARGE, "The body has more than 65,536 bytes.");
    }
    if (cause instanceof TooLongHttpLineException) {
      return Responses.malformed(REQUEST_URI_TOO_LONG);
    }
    return Responses.malformed(
        cause instanceof TooLongHttpHeaderException
            ? REQUEST_HEADER_FIELDS_TOO_LARGE
            : BAD_REQUEST);
  }
}
