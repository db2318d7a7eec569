package org.samewire.floor;

import static com.mongodb.client.model.Filters.eq;

import com.mongodb.ConnectionString;
import com.mongodb.MongoClientSettings;
import com.mongodb.connection.TransportSettings;
import com.mongodb.reactivestreams.client.MongoClients;
import com.mongodb.reactivestreams.client.MongoCollection;
import com.mongodb.reactivestreams.client.MongoDatabase;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollSocketChannel;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.bson.Document;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/** The shortener's lookup over and over, the pool as the servers have it, one loop. */
final class Query {
  private static final Duration TIMEOUT = Duration.ofSeconds(5);

  private final Walk walk = new Walk();
  private final MongoCollection<Document> links;
  private final Scheduler timers;

  private Query() throws Exception {
    var url = new ConnectionString(System.getenv("MONGODB_URL"));
    var loop = new MultiThreadIoEventLoopGroup(1, EpollIoHandler.newFactory());
    timers = Schedulers.fromExecutorService(loop.next());
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
    MongoDatabase database = MongoClients.create(settings).getDatabase(url.getDatabase());
    links = database.getCollection("links");
    // First of all the database has to be found; a machine that is busy takes longer than 800 ms.
    Mono.from(database.runCommand(new Document("ping", 1))).retry(10).block();
    for (int number = 0; number < walk.inFlight; number++) {
      ask(walk.start(number));
    }
  }

  private void ask(int key) {
    Mono.from(links.find(eq(walk.keys.get(key))).first())
        .timeout(TIMEOUT, timers)
        .subscribe(
            link -> walk.queries.incrementAndGet(),
            failure -> {
              System.err.println(failure);
              System.exit(1);
            },
            () -> ask((key + 1) % walk.keys.size()));
  }

  public static void main(String[] args) throws Exception {
    new Query().walk.measure();
  }
}
