package org.samewire.shortener;

import io.netty.handler.codec.http.HttpResponseStatus;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import io.vertx.ext.web.handler.HttpException;
import java.lang.System.Logger.Level;
import java.util.List;
import java.util.Map;

/** Failures of requests, answered as problems (RFC 9457). */
final class Problems {
  private static final System.Logger LOG = System.getLogger("shortener");

  /** Of any exception but Vert.x Web's own. */
  private static final int FAULT = 500;

  private static final Map<Integer, String> DETAILS =
      Map.of(
          400,
          "The path, the host or the media type is malformed.",
          404,
          "There is no such resource.",
          413,
          "The body has more than 8,192 bytes.",
          415,
          "Content-Type must be application/json.",
          FAULT,
          "The server has a fault.",
          503,
          "The database does not answer.");

  /** To a 405, Vert.x adds Allow by itself. */
  private static final List<Integer> NO_ROUTE = List.of(400, 404, 415);

  /** What BodyHandler says then, and if a body is malformed: the connection is being closed. */
  private static final int CLIENT_LEFT = 200;

  private Problems() {}

  /** Of all routes, and of requests for which there is none. */
  static void handle(Router router) {
    router.route().failureHandler(Problems::fail);
    NO_ROUTE.forEach(status -> router.errorHandler(status, ctx -> answer(ctx, status)));
  }

  private static void fail(RoutingContext ctx) {
    int status = ctx.statusCode();
    if (status == FAULT && Links.isAway(ctx.failure())) {
      answer(ctx, 503);
    } else if (status != CLIENT_LEFT) {
      if (status == FAULT) {
        LOG.log(Level.ERROR, "a request has failed", ctx.failure());
      }
      answer(ctx, status);
    }
  }

  private static void answer(RoutingContext ctx, int status) {
    Throwable failure = ctx.failure();
    String detail = failure instanceof HttpException e ? e.getPayload() : null;
    ctx.response()
        .setStatusCode(status)
        .putHeader(HttpHeaders.CONTENT_TYPE, "application/problem+json")
        .end(
            new JsonObject()
                .put("title", HttpResponseStatus.valueOf(status).reasonPhrase())
                .put("status", status)
                .put("detail", detail == null ? DETAILS.getOrDefault(status, "Refused.") : detail)
                .toBuffer());
  }
}
