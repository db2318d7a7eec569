package org.samewire.chat;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.validation.Valid;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import jakarta.validation.constraints.NotNull;
import jakarta.validation.constraints.Pattern;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.springframework.http.CacheControl;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.servlet.mvc.method.annotation.SseEmitter;

/** Clients ask for what is new, wait for it, or have it sent. So they tell that they are here. */
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
  private final LongPolls longPolls;
  private final EventStreams streams;

  ChatController(Room room, Presence presence, LongPolls longPolls, EventStreams streams) {
    this.room = room;
    this.presence = presence;
    this.longPolls = longPolls;
    this.streams = streams;
  }

  // #region chat.post-message
  @PostMapping(path = "/messages", consumes = MediaType.APPLICATION_JSON_VALUE)
  @ResponseStatus(HttpStatus.CREATED)
  Posted post(@Valid @RequestBody NewMessage body) {
    Message message = room.post(body.user(), body.text());
    longPolls.tell(message);
    return new Posted(room.id, message.id(), message.user(), message.text());
  }

  // #endregion chat.post-message

  // #region chat.deliver
  @GetMapping("/messages")
  Room.News news(
      @RequestParam(defaultValue = "0") @Min(0) long after,
      @RequestParam(required = false) @Pattern(regexp = USER) String user) {
    presence.see(user);
    return room.after(after);
  }

  // #endregion chat.deliver

  // #region chat.long-poll
  @GetMapping(path = "/messages", params = "wait")
  CompletableFuture<Room.News> newsInTime(
      @RequestParam(defaultValue = "0") @Min(0) long after,
      @RequestParam @Min(0) @Max(20) int wait,
      @RequestParam(required = false) @Pattern(regexp = USER) String user) {
    return longPolls.start(after, Duration.ofSeconds(wait), user);
  }

  // #endregion chat.long-poll

  // #region chat.events
  @GetMapping(path = "/events", produces = MediaType.TEXT_EVENT_STREAM_VALUE)
  ResponseEntity<SseEmitter> events(
      @RequestParam(defaultValue = "0") @Min(0) long after,
      @RequestParam(required = false) @Pattern(regexp = USER) String user,
      @RequestHeader(name = "Last-Event-ID", required = false) @Min(0) Long lastEventId,
      HttpServletRequest request) {
    var answer = ResponseEntity.ok().cacheControl(CacheControl.noCache());
    if (request.getMethod().equals("HEAD")) {
      return answer.contentType(MediaType.TEXT_EVENT_STREAM).build();
    }
    return answer.body(streams.open(lastEventId == null ? after : lastEventId, user, request));
  }

  // #endregion chat.events

  @GetMapping("/presence")
  Users users() {
    return new Users(room.id, presence.users());
  }
}
