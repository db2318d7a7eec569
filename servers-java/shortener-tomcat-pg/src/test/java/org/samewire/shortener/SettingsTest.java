package org.samewire.shortener;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SettingsTest {
  private static final String URL = "postgres://me:p%40+s@db:5433/links";

  @Test
  void defaultsAndParts() {
    Settings settings = Settings.from(Map.of("PORT", "8080", "POSTGRES_URL", URL));
    assertEquals("127.0.0.1", settings.host().getHostAddress());
    assertEquals(8080, settings.port());
    assertEquals("jdbc:postgresql://db:5433/links", settings.database().url());
    assertEquals("me", settings.database().user());
    assertEquals("p@+s", settings.database().password());
    assertFalse(settings.virtualThreads());
  }

  @Test
  void passwordMayBeMissing() {
    String url = "postgresql://me@db/links";
    Settings settings = Settings.from(Map.of("PORT", "8080", "POSTGRES_URL", url));
    assertEquals("", settings.database().password());
  }

  @ParameterizedTest
  @CsvSource({
    "PORT,",
    "PORT,''",
    "PORT,0",
    "PORT,65536",
    "PORT,80a",
    "HOST,no such host",
    "POSTGRES_URL,",
    "POSTGRES_URL,''",
    "POSTGRES_URL,http://me:secret@db/links",
    "POSTGRES_URL,postgres://db/links",
    "POSTGRES_URL,postgres://me:secret@db",
    "POSTGRES_URL,postgres://me:secret@db:65536/links",
    "POSTGRES_URL,postgres://me:secret%@db/links",
    "THREADS,green",
  })
  void unusable(String name, String value) {
    Map<String, String> environment = new HashMap<>(Map.of("PORT", "8080", "POSTGRES_URL", URL));
    environment.remove(name);
    if (value != null) {
      environment.put(name, value);
    }
    var e = assertThrows(IllegalArgumentException.class, () -> Settings.from(environment));
    assertTrue(e.getMessage().startsWith(name), e.getMessage());
    assertFalse(e.getMessage().contains("secret"), e.getMessage());
  }
}
