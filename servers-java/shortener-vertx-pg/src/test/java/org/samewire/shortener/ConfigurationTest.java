package org.samewire.shortener;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ConfigurationTest {
  private static final String URL = "postgres://user:secret@127.0.0.1:5432/links";

  @Test
  void hostHasADefault() {
    var configuration = Configuration.from(Map.of("PORT", "8080", "POSTGRES_URL", URL));
    assertEquals("127.0.0.1", configuration.host());
    assertEquals("secret", configuration.database().getPassword());
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "80a", "0", "-1", "65536"})
  void portThatCannotBeUsedIsNamed(String port) {
    assertNamed("PORT", Map.of("PORT", port, "POSTGRES_URL", URL));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "nonsense", "http://127.0.0.1:1/a", "postgres://user:secret@a:b/c"})
  void urlThatCannotBeUsedIsNamedAndNotShown(String url) {
    assertNamed("POSTGRES_URL", Map.of("PORT", "8080", "POSTGRES_URL", url));
  }

  private static void assertNamed(String name, Map<String, String> environment) {
    var e = assertThrows(IllegalArgumentException.class, () -> Configuration.from(environment));
    assertTrue(e.getMessage().startsWith(name), e.getMessage());
    assertFalse(e.getMessage().contains("secret"), e.getMessage());
  }
}
