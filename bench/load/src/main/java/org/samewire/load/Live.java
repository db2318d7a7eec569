package org.samewire.load;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.HdrHistogram.Histogram;

/**
 * Tells someone who watches what the users have got since the last line, several times a second.
 *
 * <p>The figures of a race are those of the {@link Meter}, which calls this under its lock.
 */
final class Live {
  private final long interval;
  private final Prober prober;
  private final Consumer<Map<String, ?>> progress;
  private final Histogram latency = new Histogram(Meter.LONGEST, 2);
  private int requests;
  private int errors;
  private long told;

  /** A line every {@code seconds}; {@code prober} may be null. */
  Live(double seconds, Prober prober, Consumer<Map<String, ?>> progress) {
    this.interval = Math.round(seconds * 1e9);
    this.prober = prober;
    this.progress = progress;
  }

  void answered(long nanos) {
    requests++;
    latency.recordValue(nanos);
  }

  void failed() {
    requests++;
    errors++;
  }

  /** Tells what is over, {@code elapsed} nanoseconds after the first user came. */
  void advance(long elapsed, int users) {
    if (elapsed < told + interval) {
      return;
    }
    boolean none = latency.getTotalCount() == 0;
    Map<String, Object> line = new LinkedHashMap<>();
    line.put("t_s", elapsed / 1e9);
    line.put("seconds", (elapsed - told) / 1e9);
    line.put("users", users);
    line.put("requests", requests);
    line.put("errors", errors);
    line.put("mean_ms", none ? null : latency.getMean() / 1e6);
    line.put("p50_ms", none ? null : latency.getValueAtPercentile(50) / 1e6);
    line.put("p99_ms", none ? null : latency.getValueAtPercentile(99) / 1e6);
    if (prober != null) {
      line.put("probe_ms", TimeUnit.NANOSECONDS.toMicros(prober.waited()) / 1e3);
    }
    progress.accept(Map.of("live", line));
    latency.reset();
    requests = 0;
    errors = 0;
    told = elapsed;
  }
}
