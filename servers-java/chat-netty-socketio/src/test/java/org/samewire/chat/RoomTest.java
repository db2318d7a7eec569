package org.samewire.chat;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;

class RoomTest {
  private final Room room = new Room();

  @Test
  void idsHaveNoGap() {
    assertEquals(new Message(1, "ana", "oi"), room.add("ana", "oi"));
    assertEquals(new Message(2, "bia", "oi"), room.add("bia", "oi"));
    assertEquals(2, room.last());
    assertEquals(List.of(new Message(2, "bia", "oi")), room.after(1));
    assertEquals(List.of(), room.after(2));
  }

  @Test
  void theNewestAreKept() {
    for (int i = 1; i <= 1_001; i++) {
      room.add("ana", "text " + i);
    }
    List<Message> kept = room.after(0);
    assertEquals(1_000, kept.size());
    assertEquals(2, kept.get(0).id());
    assertEquals(1_001, kept.get(999).id());
  }

  @Test
  void rules() {
    assertTrue(Message.isUser("a"));
    assertTrue(Message.isUser("\uD83D\uDE00".repeat(32)));
    assertTrue(Message.isText("a".repeat(500)));
    for (Object wrong : List.of("", "a".repeat(33), "a\0", "a\n", "a\u009f", "\uD83D", 7, true)) {
      assertFalse(Message.isUser(wrong), wrong.toString());
    }
    assertFalse(Message.isUser(null));
    assertFalse(Message.isText("a".repeat(501)));
  }
}
