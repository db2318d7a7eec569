package org.samewire.randoms;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.springframework.http.MediaType;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** What this process is. */
@RestController
class InfoController {

  record Info(
      String[] arguments, String platform, String runtime, long pid, int cpus, Memory memory) {}

  record Memory(long rss) {}

  @GetMapping(path = "/info", produces = MediaType.APPLICATION_JSON_VALUE)
  Info info() throws IOException {
    ProcessHandle process = ProcessHandle.current();
    return new Info(
        process.info().arguments().orElseGet(() -> new String[0]),
        "linux",
        "OpenJDK " + Runtime.version(),
        process.pid(),
        Runtime.getRuntime().availableProcessors(),
        new Memory(residentBytes()));
  }

  /** The line is like {@code VmRSS: 123456 kB}. */
  private static long residentBytes() throws IOException {
    try (var lines = Files.lines(Path.of("/proc/self/status"))) {
      return lines
          .filter(line -> line.startsWith("VmRSS:"))
          .mapToLong(line -> 1024 * Long.parseLong(line.replaceAll("\\D", "")))
          .sum();
    }
  }
}
