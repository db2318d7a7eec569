package org.samewire.shortener;

import static com.mongodb.client.model.Filters.eq;

import com.mongodb.ConnectionString;
import com.mongodb.ErrorCategory;
import com.mongodb.MongoClientSettings;
import com.mongodb.MongoException;
import com.mongodb.MongoServerException;
import com.mongodb.MongoWriteException;
import com.mongodb.connection.TransportSettings;
import com.mongodb.reactivestreams.client.MongoClients;
import com.mongodb.reactivestreams.client.MongoCollection;
import com.mongodb.reactivestreams.client.MongoDatabase;
import io.netty.channel.EventLoop;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import java.lang.System.Logger.Level;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.bson.Document;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Mono;

/** The collection of links. */
class Links {
  private static final System.Logger LOG = System.getLogger("shortener");
  private static final Pattern HASH = Pattern.compile("[0-9A-Za-z]{6}");
  private static final Document PING = new Document("ping", 1);

  /** To find the server, to wait for a connection, to connect, and for the answer. */
  private static final int TIMEOUT_SECONDS = 4;

  /** Of a server that stops, or is no primary. A query has no exceptions of their own for them. */
  private static final Set<Integer> SERVER_STOPS =
      Set.of(91, 189, 10058, 10107, 11600, 11602, 13435, 13436);

  private static volatile boolean away;

  private final MongoDatabase database;
  private final MongoCollection<Document> links;

  Links(MongoDatabase database, MongoCollection<Document> links) {
    this.database = database;
    this.links = links;
  }

  // #region database.pool
  /** Connections are made when they are needed, and stay on this event loop. */
  static Links in(EventLoop loop, ConnectionString url) {
    MongoClientSettings settings =
        MongoClientSettings.builder()
            .applyConnectionString(url)
            // Else each would have its time twice.
            .retryReads(false)
            .retryWrites(false)
            .transportSettings(
                TransportSettings.nettyBuilder()
                    .eventLoopGroup(loop)
                    .socketChannelClass(
                        Epoll.isAvailable() ? EpollSocketChannel.class : NioSocketChannel.class)
                    .build())
            .applyToConnectionPoolSettings(
                pool -> pool.maxSize(10).maxWaitTime(TIMEOUT_SECONDS, TimeUnit.SECONDS))
            .applyToClusterSettings(
                cluster -> cluster.serverSelectionTimeout(TIMEOUT_SECONDS, TimeUnit.SECONDS))
            .applyToServerSettings(server -> server.heartbeatFrequency(2, TimeUnit.SECONDS))
            .applyToSocketSettings(
                socket ->
                    socket
                        .connectTimeout(TIMEOUT_SECONDS, TimeUnit.SECONDS)
                        .readTimeout(TIMEOUT_SECONDS, TimeUnit.SECONDS))
            .build();
    MongoDatabase database = MongoClients.create(settings).getDatabase(url.getDatabase());
    return new Links(database, database.getCollection("links"));
  }

  // #endregion database.pool

  /** The URL of a hash, or nothing. What is no hash is not asked for. */
  Mono<String> find(String hash) {
    if (!HASH.matcher(hash).matches()) {
      return Mono.empty();
    }
    return ask(links.find(eq(hash)).first()).map(link -> link.getString("url"));
  }

  /** False if the hash is taken. */
  Mono<Boolean> add(Link link) {
    return ask(links.insertOne(new Document("_id", link.hash()).append("url", link.url())))
        .map(inserted -> true)
        .onErrorReturn(Links::isTaken, false);
  }

  Mono<Document> ping() {
    return ask(database.runCommand(PING));
  }

  private static <T> Mono<T> ask(Publisher<T> command) {
    return Mono.from(command).doOnSuccess(answer -> note(null)).doOnError(Links::note);
  }

  /** Other failures are mistakes of ours. */
  static boolean isAway(Throwable failure) {
    return failure instanceof MongoException e
        && (!(e instanceof MongoServerException) || SERVER_STOPS.contains(e.getCode()));
  }

  private static boolean isTaken(Throwable failure) {
    return failure instanceof MongoWriteException e
        && e.getError().getCategory() == ErrorCategory.DUPLICATE_KEY;
  }

  /** A line when the database goes, and one when it is back. */
  private static void note(Throwable failure) {
    boolean now = failure != null && isAway(failure);
    if (away != now) {
      away = now;
      LOG.log(Level.WARNING, now ? "the database is away: " + failure : "the database is back");
    }
  }
}
