package org.samewire.shortener;

import static io.netty.handler.codec.http.HttpResponseStatus.BAD_REQUEST;
import static io.netty.handler.codec.http.HttpResponseStatus.REQUEST_HEADER_FIELDS_TOO_LARGE;
import static io.netty.handler.codec.http.HttpResponseStatus.REQUEST_URI_TOO_LONG;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.PrematureChannelClosureException;
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
import io.vertx.core.Future;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The routes. */
final class ShortenerHandler extends SimpleChannelInboundHandler<FullHttpRequest> {
  private static final System.Logger LOG = System.getLogger("shortener");

  private static final Pattern ORIGIN = Pattern.compile("(?i:https?)://[^/?#]*");
  private static final String LINKS = "/links";
  private static final int HASH_LENGTH = 6;
  private static final int HASH_ATTEMPTS = 10;

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
    response.otherwise(ShortenerHandler::failure).onSuccess(ctx::write);
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    boolean clientGone =
        cause instanceof IOException || cause instanceof PrematureChannelClosureException;
    if (!clientGone) {
      LOG.log(Level.ERROR, cause.toString());
    }
    ctx.close();
  }

  private Future<FullHttpResponse> route(FullHttpRequest request) {
    HttpResponseStatus fault = fault(request);
    if (fault != null) {
      return now(Responses.malformed(fault));
    }
    String path;
    try {
      path = path(request.uri());
    } catch (IllegalArgumentException e) {
      return now(Responses.malformed(BAD_REQUEST));
    }
    HttpMethod method = request.method();
    boolean reads = method.equals(HttpMethod.GET) || method.equals(HttpMethod.HEAD);
    if (path.equals(LINKS)) {
      return method.equals(HttpMethod.POST) ? create(request) : now(Responses.notAllowed("POST"));
    }
    boolean link = path.startsWith(LINKS + "/");
    String name = path.substring(link ? LINKS.length() + 1 : 1);
    if (name.isEmpty() || name.indexOf('/') >= 0) {
      return now(Responses.problem(Problem.NO_SUCH_RESOURCE));
    }
    if (!reads) {
      return now(Responses.notAllowed("GET, HEAD"));
    }
    if (link) {
      return show(name);
    }
    return name.equals("healthz") ? health() : lookup(name);
  }

  // #region shortener.lookup
  private Future<FullHttpResponse> lookup(String hash) {
    if (!isHash(hash)) {
      return now(Responses.notFound());
    }
    return links.find(hash).map(url -> url == null ? Responses.notFound() : Responses.movedTo(url));
  }

  // #endregion shortener.lookup

  private Future<FullHttpResponse> show(String hash) {
    if (!isHash(hash)) {
      return now(Responses.problem(Problem.NO_SUCH_LINK));
    }
    return links
        .find(hash)
        .map(
            url ->
                url == null ? Responses.problem(Problem.NO_SUCH_LINK) : Responses.link(hash, url));
  }

  // #region shortener.create
  private Future<FullHttpResponse> create(FullHttpRequest request) {
    if (!isJson(request)) {
      return now(Responses.problem(Problem.NOT_JSON));
    }
    if (isTooLarge(request)) {
      return now(Responses.problem(Problem.BODY_TOO_LARGE));
    }
    try {
      return create(NewLink.url(request.content()), HASH_ATTEMPTS);
    } catch (ProblemException e) {
      return now(Responses.problem(e.problem()));
    }
  }

  private Future<FullHttpResponse> create(String url, int attempts) {
    if (attempts == 0) {
      throw new IllegalStateException("no free hash in " + HASH_ATTEMPTS + " attempts");
    }
    String hash = NewLink.freshHash();
    return links
        .add(hash, url)
        .compose(added -> added ? now(Responses.created(hash, url)) : create(url, attempts - 1));
  }

  // #endregion shortener.create

  private Future<FullHttpResponse> health() {
    return links
        .ping()
        .map(Responses.healthy())
        .otherwise(failure -> Responses.problem(Problem.DATABASE_AWAY));
  }

  private static FullHttpResponse failure(Throwable cause) {
    if (Links.isAway(cause)) {
      return Responses.problem(Problem.DATABASE_AWAY);
    }
    LOG.log(Level.ERROR, cause.toString());
    return Responses.problem(Problem.UNFORESEEN);
  }

  private static Future<FullHttpResponse> now(FullHttpResponse response) {
    return Future.succeededFuture(response);
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

  /** The percent-decoded path of a request target in origin or absolute form. */
  private static String path(String target) {
    String path = target;
    if (!target.startsWith("/")) {
      Matcher origin = ORIGIN.matcher(target);
      if (!origin.lookingAt()) {
        throw new IllegalArgumentException("neither a path nor a URL");
      }
      path = target.substring(origin.end());
    }
    path = new QueryStringDecoder(path).path();
    return path.isEmpty() ? "/" : path;
  }

  private static boolean isHash(String name) {
    return name.length() == HASH_LENGTH && name.chars().allMatch(ShortenerHandler::isAlphanumeric);
  }

  private static boolean isAlphanumeric(int c) {
    return c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z';
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
