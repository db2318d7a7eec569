package org.samewire.shortener;

import static io.netty.handler.codec.http.HttpResponseStatus.BAD_REQUEST;
import static io.netty.handler.codec.http.HttpResponseStatus.INTERNAL_SERVER_ERROR;
import static io.netty.handler.codec.http.HttpResponseStatus.NOT_FOUND;
import static io.netty.handler.codec.http.HttpResponseStatus.OK;
import static io.netty.handler.codec.http.HttpResponseStatus.REQUEST_HEADER_FIELDS_TOO_LARGE;
import static io.netty.handler.codec.http.HttpResponseStatus.REQUEST_URI_TOO_LONG;
import static io.netty.handler.codec.http.HttpResponseStatus.SERVICE_UNAVAILABLE;

import io.netty.channel.ChannelException;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.CodecException;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.QueryStringDecoder;
import io.netty.handler.codec.http.TooLongHttpContentException;
import io.netty.handler.codec.http.TooLongHttpHeaderException;
import io.netty.handler.codec.http.TooLongHttpLineException;
import io.vertx.core.Future;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.security.SecureRandom;

/** The routes. */
final class ShortenerHandler extends SimpleChannelInboundHandler<FullHttpRequest> {
  private static final System.Logger LOG = System.getLogger("shortener");

  private static final HttpResponseStatus CONTENT_TOO_LARGE =
      new HttpResponseStatus(413, "Content Too Large");

  private static final String ALPHABET =
      "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
  private static final SecureRandom RANDOM = new SecureRandom();

  private final Links links;

  ShortenerHandler(Links links) {
    this.links = links;
  }

  @Override
  protected void channelRead0(ChannelHandlerContext ctx, FullHttpRequest request) {
    Future<FullHttpResponse> response;
    try {
      response = route(request);
    } catch (RuntimeException e) {
      response = Future.failedFuture(e);
    }
    response.otherwise(ShortenerHandler::failure).onSuccess(ctx::writeAndFlush);
  }

  private Future<FullHttpResponse> route(FullHttpRequest request) {
    if (request.decoderResult().isFailure()) {
      return Future.succeededFuture(malformed(request.decoderResult().cause()));
    }
    if (!isSound(request)) {
      FullHttpResponse refusal = Responses.empty(BAD_REQUEST);
      HttpUtil.setKeepAlive(refusal, false);
      return Future.succeededFuture(refusal);
    }
    HttpMethod method = request.method();
    String path = path(request);
    if (path.equals("/links")) {
      return method.equals(HttpMethod.POST)
          ? create(NewLink.from(request).url())
          : notAllowed("POST");
    }
    int name = path.lastIndexOf('/') + 1;
    boolean isLink = path.startsWith("/links/") && name == "/links/".length();
    if (name == path.length() || name != 1 && !isLink) {
      throw new ProblemException(NOT_FOUND, "There is no such resource.");
    }
    if (!method.equals(HttpMethod.GET) && !method.equals(HttpMethod.HEAD)) {
      return notAllowed("GET, HEAD");
    }
    if (path.equals("/healthz")) {
      return links.ping().map(answer -> Responses.empty(OK));
    }
    return isLink ? show(path.substring(name)) : lookup(path.substring(name));
  }

  // #region shortener.lookup
  private Future<FullHttpResponse> lookup(String hash) {
    return links
        .find(hash)
        .map(url -> url == null ? Responses.empty(NOT_FOUND) : Responses.movedTo(url));
  }

  // #endregion shortener.lookup

  private Future<FullHttpResponse> show(String hash) {
    return links
        .find(hash)
        .map(
            url ->
                url == null
                    ? Responses.problem(NOT_FOUND, "There is no such link.")
                    : Responses.json(OK, new Link(hash, url)));
  }

  // #region shortener.create
  private Future<FullHttpResponse> create(String url) {
    var hash = new StringBuilder();
    RANDOM.ints(6, 0, ALPHABET.length()).forEach(index -> hash.append(ALPHABET.charAt(index)));
    var link = new Link(hash.toString(), url);
    return links
        .add(link)
        .compose(added -> added ? Future.succeededFuture(Responses.created(link)) : create(url));
  }

  // #endregion shortener.create

  /** Whether a proxy in front reads the head in the same way. */
  private static boolean isSound(FullHttpRequest request) {
    HttpHeaders headers = request.headers();
    boolean hasHost = headers.getAll(HttpHeaderNames.HOST).size() == 1;
    return (hasHost || request.protocolVersion().equals(HttpVersion.HTTP_1_0))
        // The aggregator takes "chunked" away. Nobody undoes another coding.
        && !headers.contains(HttpHeaderNames.TRANSFER_ENCODING);
  }

  private static String path(FullHttpRequest request) {
    try {
      return new QueryStringDecoder(request.uri()).path();
    } catch (IllegalArgumentException e) {
      throw new ProblemException(BAD_REQUEST, "The path is not validly percent-encoded.");
    }
  }

  private static Future<FullHttpResponse> notAllowed(String allowed) {
    return Future.succeededFuture(Responses.notAllowed(allowed));
  }

  /** What Netty cannot read, or not in full. Its method is not known, so the answer has no body. */
  private static FullHttpResponse malformed(Throwable cause) {
    if (cause instanceof TooLongHttpContentException) {
      return Responses.problem(CONTENT_TOO_LARGE, "The body has more than 8,192 bytes.");
    }
    if (cause instanceof TooLongHttpLineException) {
      return Responses.empty(REQUEST_URI_TOO_LONG);
    }
    return Responses.empty(
        cause instanceof TooLongHttpHeaderException
            ? REQUEST_HEADER_FIELDS_TOO_LARGE
            : BAD_REQUEST);
  }

  private static FullHttpResponse failure(Throwable cause) {
    if (cause instanceof ProblemException problem) {
      return Responses.problem(problem.status(), problem.getMessage());
    }
    if (Links.isAway(cause)) {
      return Responses.problem(SERVICE_UNAVAILABLE, "The database does not answer.");
    }
    LOG.log(Level.ERROR, "a request has failed", cause);
    return Responses.problem(INTERNAL_SERVER_ERROR, "The server has a fault.");
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    // The client left, was too slow, or sent half a request.
    boolean isClients =
        cause instanceof IOException
            || cause instanceof ChannelException
            || cause instanceof CodecException;
    LOG.log(isClients ? Level.DEBUG : Level.ERROR, "a connection is closed", cause);
    ctx.close();
  }
}
