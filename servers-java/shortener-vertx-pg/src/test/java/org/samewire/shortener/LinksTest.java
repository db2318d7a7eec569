package org.samewire.shortener;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vertx.pgclient.PgException;
import java.net.ConnectException;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LinksTest {
  @ParameterizedTest
  @CsvSource({"57P01, true", "53300, true", "57014, true", "42P01, false", "XX000, false"})
  void stateSaysWhoseFaultItIs(String sqlState, boolean away) {
    assertEquals(away, Links.isAway(new PgException("a failure", "ERROR", sqlState, "")));
  }

  @Test
  void databaseThatCannotBeReachedIsAway() {
    assertTrue(Links.isAway(new ConnectException()));
    assertTrue(Links.isAway(new TimeoutException()));
  }
}
