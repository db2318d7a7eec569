package org.samewire.shortener;

import static com.mongodb.client.model.Filters.eq;

import com.mongodb.ConnectionString;
import com.mongodb.ErrorCategory;
import com.mongodb.MongoClientSettings;
import com.mongodb.MongoException;
import com.mongodb.MongoNodeIsRecoveringException;
import com.mongodb.MongoNotPrimaryException;
import com.mongodb.MongoServerException;
import com.mongodb.MongoWriteException;
import com.mongodb.connection.TransportSettings;
import com.mongodb.reactivestreams.client.MongoClient;
import com.mongodb.reactivestreams.client.MongoClients;
import com.mongodb.reactivestreams.client.MongoCollection;
import com.mongodb.reactivestreams.client.MongoDatabase;
import io.netty.channel.EventLoop;
import io.netty.channel.epoll.EpollSocketChannel;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.bson.Document;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/** The collection of links, for one event loop: its connections and timers are on that loop. */
final class Links {
  private static final System.Logger LOG = System.getLogger("shortener");

  private static final Document PING = new Document("ping", 1);

  /** For the driver to find the server again; a monitor of its own tells it when that is gone. */
  private static final Duration AWAY = Duration.ofMillis(800);

  /** For everything; long, because a busy machine or database is slow without being away. */
  private static final Duration TIMEOUT = Duration.ofSeconds(5);

  private final Scheduler loop;
  private final MongoClient client;
  private final MongoDatabase database;
  private final MongoCollection<Document> links;
  private volatile boolean away;

  Links(EventLoop loop, ConnectionString database) {
    this.loop = Schedulers.fromExecutorService(loop);
    client = MongoClients.create(pool(loop, database));
    this.database = client.getDatabase(database.getDatabase());
    links = this.database.getCollection("links");
  }

  // #region database.pool
  /** An event loop is a group of one: connections of this client stay on it. */
  private static MongoClientSettings pool(EventLoop loop, ConnectionString database) {
    return MongoClientSettings.builder()
        .applyConnectionString(database)
        .transportSettings(
            TransportSettings.nettyBuilder()
                .eventLoopGroup(loop)
                .socketChannelClass(EpollSocketChannel.class)
                .build())
        .applyToConnectionPoolSettings(
            pool -> pool.maxSize(10).maxWaitTime(TIMEOUT.toMillis(), TimeUnit.MILLISECONDS))
        .applyToClusterSettings(
            cluster -> cluster.serverSelectionTimeout(AWAY.toMillis(), TimeUnit.MILLISECONDS))
        .applyToServerSettings(server -> server.heartbeatFrequency(2, TimeUnit.SECONDS))
        .applyToSocketSettings(
            socket ->
                socket
                    .connectTimeout((int) TIMEOUT.toMillis(), TimeUnit.MILLISECONDS)
                    .readTimeout((int) TIMEOUT.toMillis(), TimeUnit.MILLISECONDS))
        .build();
  }

  // #endregion database.pool

  /** Makes the first connection, before clients come. A database that is away is no matter yet. */
  Mono<Void> connect() {
    return Mono.from(database.runCommand(PING)).timeout(TIMEOUT, loop).then().onErrorComplete();
  }

  /** The URL of a hash, or nothing. */
  Mono<String> find(String hash) {
    return ask(links.find(eq(hash)).first()).map(link -> link.getString("url"));
  }

  /** False if the hash is taken. */
  Mono<Boolean> add(String hash, String url) {
    return ask(links.insertOne(new Document("_id", hash).append("url", url)))
        .map(inserted -> true)
        .onErrorReturn(Links::isTaken, false);
  }

  Mono<Document> ping() {
    return ask(database.runCommand(PING));
  }

  void close() {
    client.close();
  }

  static boolean isAway(Throwable failure) {
    return failure instanceof TimeoutException
        || failure instanceof MongoNotPrimaryException
        || failure instanceof MongoNodeIsRecoveringException
        || failure instanceof MongoException && !(failure instanceof MongoServerException);
  }

  private static boolean isTaken(Throwable failure) {
    return failure instanceof MongoWriteException e
        && e.getError().getCategory() == ErrorCategory.DUPLICATE_KEY;
  }

  private <T> Mono<T> ask(Publisher<T> command) {
    return Mono.from(command)
        .timeout(TIMEOUT, loop)
        .doOnSuccess(answer -> report(null))
        .doOnError(this::report);
  }

  /** One line when the database goes, one when it is back: not one per request. */
  private void report(Throwable failure) {
    boolean awayNow = failure != null && isAway(failure);
    if (awayNow != away) {
      away = awayNow;
      LOG.log(Level.WARNING, away ? "database away: " + failure : "database answers again");
    }
  }
}
