package org.samewire.shortener;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.ext.web.Route;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import io.vertx.ext.web.handler.BodyHandler;
import io.vertx.ext.web.handler.HttpException;
import java.security.SecureRandom;

/** The routes. */
final class ShortenerRoutes {
  private static final int MAX_BODY = 8 * 1024;

  private static final String ALPHABET =
      "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
  private static final SecureRandom RANDOM = new SecureRandom();

  private final Links links;

  ShortenerRoutes(Links links) {
    this.links = links;
  }

  Router router(Vertx vertx) {
    Router router = Router.router(vertx);
    Problems.handle(router);
    read(router, "/healthz").handler(this::health);
    router
        .post("/links")
        .consumes("application/json")
        .handler(BodyHandler.create(false).setBodyLimit(MAX_BODY))
        .respond(this::create);
    read(router, "/links/:hash").respond(this::show);
    read(router, "/:hash").handler(this::lookup);
    return router;
  }

  private static Route read(Router router, String path) {
    return router.route(path).method(HttpMethod.GET).method(HttpMethod.HEAD);
  }

  private void health(RoutingContext ctx) {
    links.ping().onSuccess(answer -> ctx.end()).onFailure(ctx::fail);
  }

  // #region shortener.lookup
  private void lookup(RoutingContext ctx) {
    links
        .find(ctx.pathParam("hash"))
        .onSuccess(
            url -> {
              HttpServerResponse response = ctx.response();
              if (url == null) {
                response.setStatusCode(404).end();
              } else {
                response.setStatusCode(301).putHeader(HttpHeaders.LOCATION, url).end();
              }
            })
        .onFailure(ctx::fail);
  }

  // #endregion shortener.lookup

  private Future<Link> show(RoutingContext ctx) {
    String hash = ctx.pathParam("hash");
    return links
        .find(hash)
        .map(
            url -> {
              if (url == null) {
                throw new HttpException(404, "There is no such link.");
              }
              return new Link(hash, url);
            });
  }

  // #region shortener.create
  private Future<Link> create(RoutingContext ctx) {
    return add(NewLink.from(ctx.body()).url())
        .onSuccess(
            link ->
                ctx.response()
                    .setStatusCode(201)
                    .putHeader(HttpHeaders.LOCATION, "/" + link.hash()));
  }

  private Future<Link> add(String url) {
    var hash = new StringBuilder();
    RANDOM.ints(6, 0, ALPHABET.length()).forEach(index -> hash.append(ALPHABET.charAt(index)));
    var link = new Link(hash.toString(), url);
    return links.add(link).compose(added -> added ? Future.succeededFuture(link) : add(url));
  }
  // #endregion shortener.create
}
