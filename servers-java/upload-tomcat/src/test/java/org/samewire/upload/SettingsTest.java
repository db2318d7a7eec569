package org.samewire.upload;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SettingsTest {
  @TempDir private Path folder;

  @Test
  void defaults() {
    Settings settings = Settings.from(Map.of("PORT", "8080", "UPLOAD_DIR", folder.toString()));
    assertEquals("127.0.0.1", settings.host().getHostAddress());
    assertEquals(8080, settings.port());
    assertEquals(209_715_200, settings.maxFileBytes());
    assertEquals(241_172_480, settings.maxRequestBytes());
    assertFalse(settings.diskFileItems());
    assertFalse(settings.virtualThreads());
    assertFalse(settings.nonBlockingReads());
  }

  @ParameterizedTest
  @CsvSource({
    "PORT,",
    "PORT,''",
    "PORT,0",
    "PORT,65536",
    "PORT,80a",
    "HOST,no such host",
    "UPLOAD_DIR,",
    "UPLOAD_DIR,''",
    "UPLOAD_DIR,relative",
    "UPLOAD_DIR,/nowhere/at/all",
    "MAX_FILE_BYTES,0",
    "MAX_REQUEST_BYTES,12x",
    "DISK_FILE_ITEMS,yes",
    "THREADS,green",
    "READS,''",
  })
  void unusable(String name, String value) {
    Map<String, String> environment =
        new HashMap<>(Map.of("PORT", "8080", "UPLOAD_DIR", folder.toString()));
    environment.remove(name);
    if (value != null) {
      environment.put(name, value);
    }
    var e = assertThrows(IllegalArgumentException.class, () -> Settings.from(environment));
    assertTrue(e.getMessage().startsWith(name), e.getMessage());
  }
}
