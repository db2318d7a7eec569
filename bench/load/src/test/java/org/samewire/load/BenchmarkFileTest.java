package org.samewire.load;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hyperfoil.api.config.Benchmark;
import io.hyperfoil.core.impl.LocalBenchmarkData;
import io.hyperfoil.core.parser.BenchmarkParser;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The benchmark for Hyperfoil's controller on Kubernetes, as Hyperfoil itself reads it. */
class BenchmarkFileTest {

  @Test
  void hyperfoilUnderstandsIt() throws Exception {
    Path file = Path.of("../kubernetes/hyperfoil/lookups.hf.yaml");
    Benchmark benchmark;
    try (var yaml = Files.newInputStream(file)) {
      benchmark =
          BenchmarkParser.instance().buildBenchmark(yaml, new LocalBenchmarkData(file), Map.of());
    }
    assertEquals(2, benchmark.agents().length);
    assertEquals(
        List.of("warmUp", "hold"), benchmark.phases().stream().map(phase -> phase.name).toList());
  }
}
