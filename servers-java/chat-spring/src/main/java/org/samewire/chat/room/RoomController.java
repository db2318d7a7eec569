package org.samewire.chat.room;

import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;
import java.util.List;
import java.util.UUID;
import java.util.regex.Pattern;
import org.samewire.chat.web.ProblemException;
import org.samewire.chat.web.Query;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

/** The routes of the room: clients ask for what is new, and so tell that they are here. */
@RestController
class RoomController {
  private static final Pattern NATURAL = Pattern.compile("0|[1-9][0-9]{0,18}");

  record Posted(UUID room, long id, String user, String text) {}

  record News(UUID room, List<Message> messages, long last) {}

  record Users(UUID room, List<String> users) {}

  private final Room room;
  private final Presence presence;

  RoomController(Room room, Presence presence) {
    this.room = room;
    this.presence = presence;
  }

  @PostMapping("/messages")
  @ResponseStatus(HttpStatus.CREATED)
  Posted post(HttpServletRequest request) throws IOException {
    Message message = room.post(MessageBody.read(request));
    return new Posted(room.id(), message.id(), message.user(), message.text());
  }

  @GetMapping("/messages")
  News news(HttpServletRequest request) {
    long after = after(Query.first(request, "after"));
    String user = Query.first(request, "user");
    if (user != null) {
      presence.see(Rules.user(user));
    }
    Room.News news = room.after(after);
    return new News(room.id(), news.messages(), news.last());
  }

  @GetMapping("/presence")
  Users users() {
    return new Users(room.id(), presence.users());
  }

  /** ASCII digits without sign or leading zero, at most 64 bits. */
  private static long after(String text) {
    if (text == null) {
      return 0;
    }
    try {
      if (NATURAL.matcher(text).matches()) {
        return Long.parseLong(text);
      }
    } catch (NumberFormatException e) {
      // Told below.
    }
    throw new ProblemException(HttpStatus.BAD_REQUEST, "after must be a non-negative integer.");
  }
}
