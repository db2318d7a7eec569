package org.samewire.load;

import io.hyperfoil.api.config.Benchmark;
import io.hyperfoil.api.config.BenchmarkBuilder;
import io.hyperfoil.api.config.Step;
import io.hyperfoil.api.connection.Request;
import io.hyperfoil.api.processor.RawBytesHandler;
import io.hyperfoil.api.session.ResourceUtilizer;
import io.hyperfoil.api.session.Session;
import io.hyperfoil.core.impl.LocalSimulationRunner;
import io.hyperfoil.http.api.FollowRedirect;
import io.hyperfoil.http.api.HttpMethod;
import io.hyperfoil.http.config.ConnectionStrategy;
import io.hyperfoil.http.config.HttpPluginBuilder;
import io.hyperfoil.http.config.Protocol;
import io.hyperfoil.http.steps.HttpStepCatalog;
import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.util.AsciiString;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/** The users of one phase as a Hyperfoil benchmark: one session for each, on one event loop. */
final class Users {
  private static final Session.ResourceKey<User> KEY = new UserKey();

  private final Scenario scenario;
  private final Scenario.Plan plan;
  private final Meter meter;
  private final Set<Integer> rightStatuses;
  private final boolean followsLocations;
  private long turns;
  private long sent;

  Users(Scenario scenario, Scenario.Plan plan, Meter meter) {
    this.scenario = scenario;
    this.plan = plan;
    this.meter = meter;
    this.rightStatuses =
        scenario.exchanges().map(Scenario.Exchange::status).collect(Collectors.toSet());
    this.followsLocations = scenario.exchanges().anyMatch(Scenario.Exchange::needsLocation);
  }

  /** Runs the phase to its end against the server at {@code url}. */
  void run(URI url) throws InterruptedException {
    // Without it, a server that answers nothing would also stop the clock.
    ScheduledExecutorService clock = Executors.newSingleThreadScheduledExecutor();
    clock.scheduleAtFixedRate(() -> meter.advance(System.nanoTime()), 0, 20, TimeUnit.MILLISECONDS);
    try {
      new LocalSimulationRunner(benchmark(url)).run();
    } finally {
      clock.shutdown();
    }
    clock.awaitTermination(1, TimeUnit.SECONDS);
    meter.end(System.nanoTime());
    meter.notSent(plan.byRate() ? plan.turns() - sent : 0);
  }

  private Benchmark benchmark(URI url) {
    BenchmarkBuilder builder = BenchmarkBuilder.builder().name("load").threads(1);
    HttpPluginBuilder plugin = builder.addPlugin(HttpPluginBuilder::new);
    plugin
        .ergonomics()
        .repeatCookies(false)
        .userAgentFromSession(false)
        .autoRangeCheck(false)
        .stopOnInvalid(false)
        .followRedirect(FollowRedirect.NEVER);
    // Connections are opened ahead of the users who arrive, so that none of them waits for a
    // handshake, but few, so that none is handed one that has been idle long enough for the server
    // to close it. Two, because with one Hyperfoil 0.25.2 forgets users who wait: it opens the next
    // connection when somebody is handed one that lies ready, or 2 ms after the last was begun.
    plugin
        .http()
        .protocol(Protocol.HTTP)
        .host(url.getHost())
        .port(url.getPort())
        .allowHttp2(false)
        .connectionStrategy(ConnectionStrategy.SESSION_POOLS)
        .requestTimeout(scenario.timeout().toMillis())
        .sharedConnections()
        .core(1)
        .max(scenario.users())
        .buffer(Math.min(2, scenario.users()));
    // Every user leaves by itself; the bound is for a server that hangs, and lets the last request
    // time out first.
    Duration bound = plan.bound(scenario.timeout()).plusSeconds(2);
    builder
        .addPhase("users")
        .atOnce(scenario.users())
        .maxDuration(bound.toMillis())
        .scenario()
        .initialSequence("user")
        .step(new AwaitTurn())
        .step(HttpStepCatalog.SC)
        .httpRequest(HttpMethod.GET)
        .method(() -> session -> user(session).current().method())
        .path(session -> user(session).path())
        .body((session, connection) -> user(session).body())
        .headerAppender(
            (session, request) -> {
              Scenario.Exchange current = user(session).current();
              if (current.body() != null) {
                request.putHeader(HttpHeaderNames.CONTENT_TYPE, current.body().contentType());
              }
              current.headers().forEach(request::putHeader);
            })
        .handler()
        .status(
            (request, status) -> {
              // A user is no browser; and Hyperfoil 0.25.2 fails to keep a 200 in its cache.
              request.cacheControl.noStore = true;
              user(request.session).status = status;
            })
        .header((request, name, value) -> user(request.session).header(name, value))
        .rawBytes(new CountBytes())
        .onCompletion(session -> user(session).complete(session.currentRequest()))
        .endHandler()
        .endStep()
        .step(
            session -> {
              session.currentSequence().restart(session);
              return true;
            });
    return builder.build();
  }

  private static User user(Session session) {
    return session.getResource(KEY);
  }

  private record UserKey() implements Session.ResourceKey<User> {}

  /** One user's place in its list and the answer it waits for. */
  private final class User implements Session.Resource {
    private final List<Scenario.Exchange> list;
    private final long arrival;
    private final long departure;
    private int position;
    private int ended;
    private boolean leaving;
    private long due = -1;
    private int status;
    private long bytes;
    private boolean connected;
    private boolean lastOnConnection;
    private String location;

    User(int index) {
      list = scenario.lists().get(index);
      position = scenario.start(index);
      arrival = plan.arrival(index, scenario.users()).toNanos();
      departure = plan.departure(index, scenario.users()).toNanos();
    }

    Scenario.Exchange current() {
      return list.get(position);
    }

    String path() {
      status = 0;
      bytes = 0;
      lastOnConnection = false;
      return current().needsLocation() ? location : current().path();
    }

    /** Called once there is a connection. */
    ByteBuf body() {
      if (!connected) {
        connected = true;
        meter.userConnected();
      }
      Body body = current().body();
      return body == null ? null : body.bytes();
    }

    // Only the beginning of a value: Hyperfoil 0.25.2 hands that of the last header over with what
    // lay behind it in memory, which begins with the end of the line.
    void header(CharSequence name, CharSequence value) {
      lastOnConnection |=
          AsciiString.contentEqualsIgnoreCase(name, HttpHeaderNames.CONNECTION)
              && AsciiString.regionMatches(
                  value, true, 0, HttpHeaderValues.CLOSE, 0, HttpHeaderValues.CLOSE.length());
      if (followsLocations && AsciiString.contentEqualsIgnoreCase(name, HttpHeaderNames.LOCATION)) {
        location = value.toString().lines().findFirst().orElse(null);
      }
    }

    void complete(Request request) {
      long now = System.nanoTime();
      ended++;
      leaving = leaves(now);
      // Of the one that the server is about to close the engine would only learn once it is closed,
      // maybe with the next request on its way; who leaves keeps no process or thread waiting.
      if (lastOnConnection || leaving) {
        request.connection().close();
      }
      if (request.isValid() && status != 0) {
        boolean right = status == current().status();
        Body body = current().body();
        meter.answered(
            position,
            body == null ? 0 : body.fileBytes(),
            status,
            right,
            rightStatuses.contains(status),
            bytes,
            plan.byRate() ? meter.begin(now) + due : request.startTimestampNanos(),
            now);
      } else {
        // The engine closes the connection when the time is up; what it tells us then is the same
        // as for a broken one.
        boolean late = now - request.startTimestampNanos() >= scenario.timeout().toNanos();
        meter.unanswered(late ? Meter.Failure.TIMEOUT : Meter.Failure.CONNECTION, now);
      }
      moveOn();
    }

    /** The nanoseconds from the beginning at which the user may send. */
    long turn() {
      if (!plan.byRate()) {
        return arrival;
      }
      if (due < 0) {
        due = plan.due(turns++);
      }
      return due;
    }

    boolean leaves(long now) {
      return plan.byRequests()
          ? ended == plan.requestsPerUser()
          : now - meter.begin(now) >= departure;
    }

    private void moveOn() {
      due = -1;
      position = (position + 1) % list.size();
      if (current().needsLocation() && location == null) {
        position = 0;
      }
      if (position == 0) {
        location = null;
      }
    }

    @Override
    public void onSessionReset(Session session) {
      long now = System.nanoTime();
      if (!leaves(now)) {
        meter.lostUser();
      }
      meter.userGone(connected, now);
    }
  }

  /**
   * The step before every request: waits for the user's arrival, or for its turn, and ends the user
   * at its departure.
   */
  private final class AwaitTurn implements Step, ResourceUtilizer {

    @Override
    public void reserve(Session session) {
      session.declareResource(KEY, () -> new User(session.uniqueId()));
    }

    @Override
    public boolean invoke(Session session) {
      User user = user(session);
      long now = System.nanoTime();
      long elapsed = now - meter.begin(now);
      long turn = Math.min(user.turn(), user.departure);
      if (elapsed < turn) {
        session.executor().schedule(session.runTask(), turn - elapsed, TimeUnit.NANOSECONDS);
        return false;
      }
      // With an answer it was decided then, together with the end of the connection.
      if (user.leaving || (user.ended == 0 || plan.byRate()) && user.leaves(now)) {
        session.currentSequence().breakSequence(session);
      } else {
        sent++;
      }
      return true;
    }
  }

  private final class CountBytes implements RawBytesHandler {

    @Override
    public void onRequest(Request request, ByteBuf data, int offset, int length) {}

    @Override
    public void onResponse(
        Request request, ByteBuf data, int offset, int length, boolean isLastPart) {
      user(request.session).bytes += length;
      meter.received(length);
    }
  }
}
