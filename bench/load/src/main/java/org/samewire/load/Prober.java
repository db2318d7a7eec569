package org.samewire.load;

import com.fasterxml.jackson.annotation.JsonProperty;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.HttpTimeoutException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/**
 * Asks one path at a fixed rate, on a connection of its own, beside the users.
 *
 * <p>A latency runs from when the probe was due. A probe that falls due while another is under way
 * is not sent. It ends together with that one, as HdrHistogram corrects for coordinated omission:
 * so a server that answers nobody for a second is seen for the whole of that second.
 */
final class Prober {

  /** What is asked, and how often. */
  record Probe(
      @JsonProperty(value = "path", required = true) String path,
      @JsonProperty(value = "every_ms", required = true) double everyMillis) {

    Probe {
      if (path == null || !path.startsWith("/") || everyMillis < 1) {
        throw new IllegalArgumentException("probe: a path, and every_ms of at least 1");
      }
    }
  }

  private enum End {
    ANSWERED,
    STATUS,
    CONNECTION,
    TIMEOUT
  }

  /** A probe that was due at a time of System.nanoTime(). */
  private record Due(long nanos, long latency, End end, boolean sent) {}

  private final HttpClient client =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private final HttpRequest request;
  private final long interval;
  private final long begin = System.nanoTime();
  private final List<Due> probes = new ArrayList<>();
  private final Thread thread = new Thread(this::run, "prober");
  private volatile boolean over;
  private volatile long due = begin;
  private volatile long lastLatency;

  /** Begins to ask the server at {@code url}. */
  Prober(Probe probe, Duration timeout, URI url) {
    request = HttpRequest.newBuilder(url.resolve(probe.path())).timeout(timeout).build();
    interval = Math.round(probe.everyMillis() * 1e6);
    thread.start();
  }

  private void run() {
    try {
      for (long next = begin; !over; due = next) {
        TimeUnit.NANOSECONDS.sleep(next - System.nanoTime());
        End end = ask();
        long now = System.nanoTime();
        lastLatency = now - next;
        for (boolean sent = true; next <= now; next += interval, sent = false) {
          probes.add(new Due(next, now - next, end, sent));
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private End ask() throws InterruptedException {
    try {
      int status = client.send(request, BodyHandlers.discarding()).statusCode();
      return status == 200 ? End.ANSWERED : End.STATUS;
    } catch (HttpTimeoutException e) {
      return End.TIMEOUT;
    } catch (IOException e) {
      return End.CONNECTION;
    }
  }

  /** How long the last probe took, or the one under way has taken if that is longer. */
  long waited() {
    return Math.max(lastLatency, System.nanoTime() - due);
  }

  /** Ends it, after the last answer. */
  void end() throws InterruptedException {
    over = true;
    thread.join();
  }

  /** Of the probes that were due in this time, after the last answer. */
  Map<String, ?> toMap(long from, long to) {
    Histogram latency = new Histogram(Meter.LONGEST, 3);
    Map<End, Long> sent = new EnumMap<>(End.class);
    long notSent = 0;
    for (Due probe : probes) {
      if (probe.nanos() < from || probe.nanos() >= to) {
        continue;
      }
      if (probe.end() == End.ANSWERED) {
        latency.recordValue(Math.min(probe.latency(), Meter.LONGEST));
      }
      if (probe.sent()) {
        sent.merge(probe.end(), 1L, Long::sum);
      } else {
        notSent++;
      }
    }
    Map<String, Long> errors = new LinkedHashMap<>();
    for (End end : List.of(End.STATUS, End.CONNECTION, End.TIMEOUT)) {
      errors.put(end.name().toLowerCase(Locale.ROOT), sent.getOrDefault(end, 0L));
    }
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("answered", sent.getOrDefault(End.ANSWERED, 0L));
    map.put("not_sent", notSent);
    map.put("errors", errors);
    map.put("hdr", Meter.encode(latency));
    return map;
  }
}
