package org.samewire.chat;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SettingsTest {
  @Test
  void defaults() {
    assertEquals(
        "/127.0.0.1:8080",
        Settings.from(Map.of("PORT", "8080")).address().toString().replace("localhost", ""));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "0", "-1", "65536", "80a", "123456"})
  void unusablePort(String port) {
    var e = assertThrows(RuntimeException.class, () -> Settings.from(Map.of("PORT", port)));
    assertTrue(e.getMessage().startsWith("PORT"));
  }

  @Test
  void unusableHost() {
    var environment = Map.of("PORT", "8080", "HOST", "no such host");
    var e = assertThrows(RuntimeException.class, () -> Settings.from(environment));
    assertTrue(e.getMessage().startsWith("HOST"));
  }
}
