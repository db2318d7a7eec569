package org.samewire.shortener;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class LinksTest {
  @ParameterizedTest
  @CsvSource({
    "08006, true",
    "57P01, true",
    "53300, true",
    "57014, true",
    "42P01, false",
    "XX000, false",
    ", false"
  })
  void stateSaysWhoseFaultItIs(String sqlState, boolean away) {
    assertEquals(away, Links.isAway(new SQLException("a failure", sqlState)));
  }

  @Test
  void poolWithoutAConnectionIsAway() {
    assertTrue(Links.isAway(new SQLTransientConnectionException("no connection in time")));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "dktPz", "dktPz4a", "dktP 4", "dktPz\0", "dktPz\n", "d\u00e9ktPz"})
  void whatIsNoHashIsNotAskedFor(String hash) {
    // There is no pool to ask.
    assertNull(new Links(null).find(hash));
  }
}
