package org.samewire.floor;

import static io.netty.handler.codec.http.HttpHeaderNames.CONTENT_LENGTH;
import static io.netty.handler.codec.http.HttpHeaderNames.LOCATION;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandler.Sharable;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.socket.SocketChannel;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.HttpObject;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.util.concurrent.EventExecutor;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.internal.VertxInternal;
import io.vertx.core.net.NetClientOptions;
import io.vertx.core.transport.Transport;
import io.vertx.pgclient.PgBuilder;
import io.vertx.pgclient.PgConnectOptions;
import io.vertx.sqlclient.PoolOptions;
import io.vertx.sqlclient.SqlClient;
import io.vertx.sqlclient.Tuple;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** A redirect to the URL that the database has; each loop has a pool, as the servers' have. */
final class LookupServer {
  private static final String LOOKUP = "select url from links where hash = $1";
  private static final int TIMEOUT_MILLIS = 5_000;

  @Sharable
  private static final class Lookup extends SimpleChannelInboundHandler<HttpObject> {
    private final SqlClient database;

    Lookup(SqlClient database) {
      this.database = database;
    }

    @Override
    protected void channelRead0(ChannelHandlerContext context, HttpObject message) {
      if (message instanceof HttpRequest request) {
        String hash = request.uri().substring(request.uri().lastIndexOf('/') + 1);
        database
            .preparedQuery(LOOKUP)
            .execute(Tuple.of(hash))
            .timeout(TIMEOUT_MILLIS, TimeUnit.MILLISECONDS)
            .onSuccess(rows -> redirect(context, rows.iterator().next().getString(0)));
      }
    }

    private static void redirect(ChannelHandlerContext context, String url) {
      var response =
          new DefaultFullHttpResponse(
              HttpVersion.HTTP_1_1, HttpResponseStatus.MOVED_PERMANENTLY, Unpooled.EMPTY_BUFFER);
      response.headers().set(LOCATION, url).setInt(CONTENT_LENGTH, 0);
      context.writeAndFlush(response);
    }
  }

  private static SqlClient pool(Vertx vertx) {
    return PgBuilder.client()
        .with(new PoolOptions().setMaxSize(4).setMaxWaitQueueSize(1_024))
        .with(
            new NetClientOptions()
                .setConnectTimeout(TIMEOUT_MILLIS)
                .setTcpKeepAlive(true)
                .setTcpUserTimeout(TIMEOUT_MILLIS))
        .connectingTo(
            PgConnectOptions.fromUri(System.getenv("POSTGRES_URL"))
                .setCachePreparedStatements(true)
                .setPipeliningLimit(8)
                .addProperty("statement_timeout", String.valueOf(TIMEOUT_MILLIS)))
        .using(vertx)
        .build();
  }

  public static void main(String[] args) throws Exception {
    Vertx vertx =
        Vertx.builder()
            .with(
                new VertxOptions().setEventLoopPoolSize(Runtime.getRuntime().availableProcessors()))
            .withTransport(Transport.EPOLL)
            .build();
    var loops = ((VertxInternal) vertx).nettyEventLoopGroup();
    Map<EventLoop, Lookup> lookups = new HashMap<>();
    for (EventExecutor loop : loops) {
      SqlClient database = pool(vertx);
      lookups.put((EventLoop) loop, new Lookup(database));
      // The first connection, as the servers make it; clients who come at once would open four.
      loop.submit(() -> database.query("select 1").execute()).get().await();
    }
    new ServerBootstrap()
        .group(loops)
        .channel(EpollServerSocketChannel.class)
        .childOption(ChannelOption.TCP_NODELAY, true)
        .childHandler(
            new ChannelInitializer<SocketChannel>() {
              @Override
              protected void initChannel(SocketChannel channel) {
                Lookup lookup = lookups.get(channel.eventLoop());
                channel.pipeline().addLast(new HttpServerCodec(), lookup);
              }
            })
        .bind(System.getenv("HOST"), Integer.parseInt(System.getenv("PORT")))
        .sync();
  }
}
