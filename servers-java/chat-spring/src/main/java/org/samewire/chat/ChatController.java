package org.samewire.chat;

import jakarta.validation.Valid;
import jakarta.validation.constraints.Min;
import jakarta.validation.constraints.NotNull;
import jakarta.validation.constraints.Pattern;
import java.util.List;
import java.util.UUID;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

/** Clients ask for what is new, and so tell that they are here. */
@RestController
// With "produces" an Accept that cannot be met is refused before anything is changed.
@RequestMapping(produces = MediaType.APPLICATION_JSON_VALUE)
class ChatController {
  // No control characters, and no half of a surrogate pair: it cannot be sent as UTF-8.
  private static final String USER = "[^\\p{Cc}\\p{Cs}]{1,32}";
  private static final String TEXT = "[^\\p{Cc}\\p{Cs}]{1,500}";

  record NewMessage(
      @NotNull @Pattern(regexp = USER) String user, @NotNull @Pattern(regexp = TEXT) String text) {}

  record Posted(UUID room, long id, String user, String text) {}

  record Users(UUID room, List<String> users) {}

  private final Room room;
  private final Presence presence;

  ChatController(Room room, Presence presence) {
    this.room = room;
    this.presence = presence;
  }

  // #region chat.post-message
  @PostMapping(path = "/messages", consumes = MediaType.APPLICATION_JSON_VALUE)
  @ResponseStatus(HttpStatus.CREATED)
  Posted post(@Valid @RequestBody NewMessage body) {
    Message message = room.post(body.user(), body.text());
    return new Posted(room.id, message.id(), message.user(), message.text());
  }

  // #endregion chat.post-message

  // #region chat.deliver
  @GetMapping("/messages")
  Room.News news(
      @RequestParam(defaultValue = "0") @Min(0) long after,
      @RequestParam(required = false) @Pattern(regexp = USER) String user) {
    if (user != null) {
      presence.see(user);
    }
    return room.after(after);
  }

  // #endregion chat.deliver

  @GetMapping("/presence")
  Users users() {
    return new Users(room.id, presence.users());
  }
}
