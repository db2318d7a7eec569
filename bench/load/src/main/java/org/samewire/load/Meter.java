package org.samewire.load;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.HdrHistogram.Histogram;

/**
 * Counts and times what the users of one phase get, by stage and by second, each answer at the
 * moment it was complete.
 *
 * <p>The event loop of the users records; a clock thread only closes what is over, so the lock is
 * hardly ever contended. Hyperfoil's own statistics keep two digits and classes of statuses; these
 * keep three digits and every status.
 */
final class Meter {
  enum Stage {
    RAMP_UP,
    HOLD,
    RAMP_DOWN
  }

  enum Failure {
    /** A status that is right for no path of the scenario. */
    STATUS,
    /** A status that is right for another path. */
    WRONG_STATUS_FOR_PATH,
    /** The connection broke before the whole answer was there. */
    CONNECTION,
    TIMEOUT
  }

  static final long LONGEST = TimeUnit.MINUTES.toNanos(10);
  private static final OperatingSystemMXBean PROCESS =
      (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();

  private final Scenario.Plan plan;
  private final int users;
  private final long[] ends;
  private final int requestsToldApart;
  private final Consumer<Map<String, ?>> progress;
  private final Live live;
  private final Map<Stage, Tally> stages = new EnumMap<>(Stage.class);
  private final List<Map<String, ?>> series = new ArrayList<>();
  private final Histogram secondLatency = new Histogram(LONGEST, 3);
  private int secondRequests;
  private int secondErrors;
  private int second;
  private int usersConnected;
  private int usersInHold;
  private int usersLost;
  private int usersGone;
  private int usersThere;
  private long notSent;
  private long begin;
  private Stage stage;

  /** {@code live} is null where nobody watches. */
  Meter(
      Scenario.Plan plan,
      int users,
      int requestsToldApart,
      Consumer<Map<String, ?>> progress,
      Live live) {
    this.plan = plan;
    this.users = users;
    // Where users leave after their requests, the hold is the whole load.
    this.ends =
        plan.byRequests()
            ? new long[] {0, Long.MAX_VALUE, Long.MAX_VALUE}
            : new long[] {
              plan.rampUp().toNanos(), plan.rampUp().plus(plan.hold()).toNanos(), Long.MAX_VALUE,
            };
    this.requestsToldApart = requestsToldApart;
    this.progress = progress;
    this.live = live;
  }

  /** What happened in one stage. */
  private static final class Tally {
    final long beginNanos;
    final long beginCpu = PROCESS.getProcessCpuTime();
    final Histogram latency = new Histogram(LONGEST, 3);
    final Map<Integer, Long> statuses = new TreeMap<>();
    final long[] failures = new long[Failure.values().length];
    final long[] answers;
    final long[] answerBytes;
    long bytesIn;
    long uploadedBytes;
    long endNanos;
    long cpu;

    Tally(long begin, int requestsToldApart) {
      beginNanos = begin;
      answers = new long[requestsToldApart];
      answerBytes = new long[requestsToldApart];
    }

    void end(long end) {
      endNanos = end;
      cpu = PROCESS.getProcessCpuTime() - beginCpu;
    }

    Map<String, ?> toMap() {
      Map<String, Long> errors = new LinkedHashMap<>();
      for (Failure failure : Failure.values()) {
        errors.put(failure.name().toLowerCase(Locale.ROOT), failures[failure.ordinal()]);
      }
      Map<String, Object> map = new LinkedHashMap<>();
      map.put("duration_s", (endNanos - beginNanos) / 1e9);
      map.put("requests", latency.getTotalCount() + Arrays.stream(failures).sum());
      map.put("errors", errors);
      map.put("statuses", statuses);
      map.put("bytes_in", bytesIn);
      map.put("uploaded_bytes", uploadedBytes);
      map.put(
          "by_request",
          IntStream.range(0, answers.length)
              .mapToObj(
                  request -> Map.of("answers", answers[request], "bytes", answerBytes[request]))
              .toList());
      map.put("generator_cpu_s", cpu / 1e9);
      map.put("hdr", encode(latency));
      return map;
    }
  }

  /** The clock starts with the first user; later calls only say when that was. */
  synchronized long begin(long now) {
    if (stage == null) {
      begin = now;
      enter(Stage.values()[0], now);
      advance(now);
    }
    return begin;
  }

  /**
   * {@code bytes} long, an answer to the request at {@code position} of its list, which had files
   * of {@code uploaded} bytes.
   */
  synchronized void answered(
      int position,
      long uploaded,
      int status,
      boolean right,
      boolean rightElsewhere,
      long bytes,
      long started,
      long now) {
    advance(now);
    Tally tally = stages.get(stage);
    if (position < tally.answers.length) {
      tally.answers[position]++;
      tally.answerBytes[position] += bytes;
    }
    tally.statuses.merge(status, 1L, Long::sum);
    secondRequests++;
    if (right) {
      long latency = Math.min(now - started, LONGEST);
      tally.uploadedBytes += uploaded;
      tally.latency.recordValue(latency);
      secondLatency.recordValue(latency);
      if (live != null) {
        live.answered(latency);
      }
    } else {
      count(rightElsewhere ? Failure.WRONG_STATUS_FOR_PATH : Failure.STATUS, tally);
    }
  }

  synchronized void unanswered(Failure failure, long now) {
    advance(now);
    secondRequests++;
    count(failure, stages.get(stage));
  }

  private void count(Failure failure, Tally tally) {
    tally.failures[failure.ordinal()]++;
    secondErrors++;
    if (live != null) {
      live.failed();
    }
  }

  synchronized void received(int bytes) {
    stages.get(stage).bytesIn += bytes;
  }

  /** A user has got its first connection. */
  synchronized void userConnected() {
    usersConnected++;
    usersThere++;
  }

  /**
   * A user who could not go on: the engine gives up after a hundred refused connections in a row.
   */
  synchronized void lostUser() {
    usersLost++;
  }

  /** How many requests were due and were never sent, since all users waited for answers. */
  synchronized void notSent(long requests) {
    notSent = requests;
  }

  /**
   * A user has left, or could not go on. A load by requests ends with the last, unless all gave up.
   */
  synchronized void userGone(boolean connected, long now) {
    usersGone++;
    usersThere -= connected ? 1 : 0;
    if (plan.byRequests() && usersGone == users && usersLost < users) {
      ends[Stage.HOLD.ordinal()] = now - begin;
      advance(now);
    }
  }

  /** Closes the stages and seconds that are over at {@code now}. */
  synchronized void advance(long now) {
    if (stage == null) {
      return;
    }
    while (now - begin >= ends[stage.ordinal()]) {
      long boundary = begin + ends[stage.ordinal()];
      stages.get(stage).end(boundary);
      enter(Stage.values()[stage.ordinal() + 1], boundary);
    }
    while (now - begin >= TimeUnit.SECONDS.toNanos(second + 1)) {
      closeSecond();
    }
    if (live != null) {
      live.advance(now - begin, usersThere);
    }
  }

  private void enter(Stage next, long boundary) {
    stage = next;
    if (next == (plan.byRequests() ? Stage.RAMP_DOWN : Stage.HOLD)) {
      usersInHold = usersConnected;
    }
    stages.put(next, new Tally(boundary, requestsToldApart));
    progress.accept(Map.of("stage", name(next)));
  }

  private void closeSecond() {
    Map<String, Object> row = new LinkedHashMap<>();
    row.put("t_s", second + 1);
    row.put("users", usersThere);
    row.put("requests", secondRequests);
    row.put("errors", secondErrors);
    row.put("mean_ms", secondLatency.getTotalCount() == 0 ? null : secondLatency.getMean() / 1e6);
    row.put(
        "p99_ms",
        secondLatency.getTotalCount() == 0 ? null : secondLatency.getValueAtPercentile(99) / 1e6);
    series.add(row);
    progress.accept(row);
    secondLatency.reset();
    secondRequests = 0;
    secondErrors = 0;
    second++;
  }

  /** Ends the last stage; a last second cut short is part of the totals but not of the series. */
  synchronized void end(long now) {
    advance(now);
    stages.get(stage).end(now);
  }

  /** What was probed in the hold; nothing of a load whose hold did not come. */
  synchronized Map<String, ?> inHold(Prober prober) {
    Tally hold = stages.get(Stage.HOLD);
    return hold == null ? prober.toMap(0, 0) : prober.toMap(hold.beginNanos, hold.endNanos);
  }

  synchronized Map<String, ?> toMap() {
    Map<String, Object> named = new LinkedHashMap<>();
    stages.forEach((key, tally) -> named.put(name(key), tally.toMap()));
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("stages", named);
    map.put("users_in_hold", usersInHold);
    map.put("users_lost", usersLost);
    map.put("not_sent", notSent);
    map.put("series", series);
    return map;
  }

  static String encode(Histogram histogram) {
    ByteBuffer buffer = ByteBuffer.allocate(histogram.getNeededByteBufferCapacity());
    int length = histogram.encodeIntoCompressedByteBuffer(buffer);
    return Base64.getEncoder().encodeToString(Arrays.copyOf(buffer.array(), length));
  }

  private static String name(Stage stage) {
    return stage.name().toLowerCase(Locale.ROOT);
  }
}
