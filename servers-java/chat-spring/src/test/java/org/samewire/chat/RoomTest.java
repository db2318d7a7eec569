package org.samewire.chat;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class RoomTest {
  private final Room room = new Room();

  @Test
  void empty() {
    assertThat(room.after(0)).isEqualTo(new Room.News(room.id, List.of(), 0));
    assertThat(room.after(Long.MAX_VALUE).messages()).isEmpty();
  }

  @Test
  void whatIsNew() {
    room.post("ana", "one");
    room.post("ana", "two");
    assertThat(room.after(1).messages()).containsExactly(new Message(2, "ana", "two"));
    assertThat(room.after(2).messages()).isEmpty();
    assertThat(room.after(3).last()).isEqualTo(2);
  }

  @Test
  void newestThousand() {
    for (int i = 0; i < 1005; i++) {
      room.post("ana", "text");
    }
    Room.News news = room.after(0);
    assertThat(news.messages()).hasSize(1000);
    assertThat(news.messages().get(0).id()).isEqualTo(6);
    assertThat(news.last()).isEqualTo(1005);
  }
}
