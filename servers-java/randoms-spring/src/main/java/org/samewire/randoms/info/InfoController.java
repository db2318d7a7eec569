package org.samewire.randoms.info;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import tools.jackson.databind.json.JsonMapper;

/** What this process is. */
@RestController
class InfoController {
  private static final Path STATUS = Path.of("/proc/self/status");

  record Info(
      List<String> arguments, String platform, String runtime, long pid, int cpus, Memory memory) {}

  record Memory(long rss) {}

  private final JsonMapper json;

  InfoController(JsonMapper json) {
    this.json = json;
  }

  @GetMapping("/info")
  ResponseEntity<byte[]> info() throws IOException {
    ProcessHandle process = ProcessHandle.current();
    var info =
        new Info(
            List.of(process.info().arguments().orElseGet(() -> new String[0])),
            System.getProperty("os.name").toLowerCase(Locale.ROOT),
            "OpenJDK " + System.getProperty("java.version"),
            process.pid(),
            Runtime.getRuntime().availableProcessors(),
            new Memory(residentBytes()));
    return ResponseEntity.ok()
        .contentType(MediaType.APPLICATION_JSON)
        .body(json.writeValueAsBytes(info));
  }

  /** As in {@code VmRSS: 123456 kB}. */
  private static long residentBytes() throws IOException {
    return Files.readAllLines(STATUS).stream()
        .filter(line -> line.startsWith("VmRSS:"))
        .mapToLong(line -> 1024 * Long.parseLong(line.replaceAll("[^0-9]", "")))
        .findFirst()
        .orElseThrow();
  }
}
