package org.samewire.floor;

import static com.mongodb.client.model.Filters.eq;
import static io.netty.handler.codec.http.HttpHeaderNames.CONTENT_LENGTH;
import static io.netty.handler.codec.http.HttpHeaderNames.LOCATION;

import com.mongodb.ConnectionString;
import com.mongodb.MongoClientSettings;
import com.mongodb.connection.TransportSettings;
import com.mongodb.reactivestreams.client.MongoClients;
import com.mongodb.reactivestreams.client.MongoCollection;
import com.mongodb.reactivestreams.client.MongoDatabase;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandler.Sharable;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.socket.SocketChannel;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.HttpObject;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.util.concurrent.EventExecutor;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.bson.Document;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/** A redirect to the URL that the database has; each loop has a pool, as the servers' have. */
final class LookupServer {
  private static final Duration TIMEOUT = Duration.ofSeconds(5);

  @Sharable
  private static final class Lookup extends SimpleChannelInboundHandler<HttpObject> {
    private final MongoCollection<Document> links;
    private final Scheduler loop;

    Lookup(MongoCollection<Document> links, EventLoop loop) {
      this.links = links;
      this.loop = Schedulers.fromExecutorService(loop);
    }

    @Override
    protected void channelRead0(ChannelHandlerContext context, HttpObject message) {
      if (message instanceof HttpRequest request) {
        String hash = request.uri().substring(request.uri().lastIndexOf('/') + 1);
        Mono.from(links.find(eq(hash)).first())
            .timeout(TIMEOUT, loop)
            .subscribe(link -> redirect(context, link.getString("url")));
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

  private static MongoDatabase pool(EventLoop loop) {
    var url = new ConnectionString(System.getenv("MONGODB_URL"));
    var settings =
        MongoClientSettings.builder()
            .applyConnectionString(url)
            .transportSettings(
                TransportSettings.nettyBuilder()
                    .eventLoopGroup(loop)
                    .socketChannelClass(EpollSocketChannel.class)
                    .build())
            .applyToConnectionPoolSettings(
                pool -> pool.maxSize(10).maxWaitTime(5, TimeUnit.SECONDS))
            .applyToClusterSettings(
                cluster -> cluster.serverSelectionTimeout(800, TimeUnit.MILLISECONDS))
            .applyToServerSettings(server -> server.heartbeatFrequency(2, TimeUnit.SECONDS))
            .applyToSocketSettings(
                socket ->
                    socket.connectTimeout(5, TimeUnit.SECONDS).readTimeout(5, TimeUnit.SECONDS))
            .build();
    return MongoClients.create(settings).getDatabase(url.getDatabase());
  }

  public static void main(String[] args) throws Exception {
    var loops =
        new MultiThreadIoEventLoopGroup(
            Runtime.getRuntime().availableProcessors(), EpollIoHandler.newFactory());
    Map<EventLoop, Lookup> lookups = new HashMap<>();
    for (EventExecutor executor : loops) {
      var loop = (EventLoop) executor;
      MongoDatabase database = pool(loop);
      lookups.put(loop, new Lookup(database.getCollection("links"), loop));
      // The first connection, before clients come; a busy machine takes longer than 800 ms for it.
      Mono.from(database.runCommand(new Document("ping", 1))).retry(10).block();
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
