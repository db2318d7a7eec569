package org.samewire.floor;

import com.sun.management.OperatingSystemMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/** The keys, how many queries were answered, and the clock of the measurement. */
final class Walk {
  final List<String> keys;
  final int inFlight = Integer.parseInt(System.getenv("IN_FLIGHT"));
  final AtomicLong queries = new AtomicLong();
  private final OperatingSystemMXBean process =
      ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);

  Walk() throws IOException {
    keys = Files.readAllLines(Path.of(System.getenv("KEYS")));
  }

  /** The first key of one of the walks. */
  int start(int number) {
    return number * keys.size() / inFlight;
  }

  /** Prints what was done between the warm-up and now, then ends the process. */
  void measure() throws InterruptedException {
    sleep("WARM_UP_S");
    long before = process.getProcessCpuTime();
    long from = queries.get();
    sleep("MEASURE_S");
    double cpu = (process.getProcessCpuTime() - before) / 1e9;
    System.out.println("{\"queries\":" + (queries.get() - from) + ",\"cpu_s\":" + cpu + "}");
    System.exit(0);
  }

  private static void sleep(String variable) throws InterruptedException {
    Thread.sleep((long) (1000 * Double.parseDouble(System.getenv(variable))));
  }
}
