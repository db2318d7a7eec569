package org.samewire.chat;

import static org.springframework.http.MediaType.APPLICATION_JSON;
import static org.springframework.web.servlet.mvc.method.annotation.SseEmitter.event;

import jakarta.servlet.ServletRequest;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.function.BooleanSupplier;
import org.springframework.context.event.ContextClosedEvent;
import org.springframework.context.event.EventListener;
import org.springframework.core.task.AsyncTaskExecutor;
import org.springframework.stereotype.Component;
import org.springframework.web.servlet.mvc.method.annotation.SseEmitter;

/** Streams of events. Each has a thread that waits for messages, and writes them. */
@Component
class EventStreams {
  /** Only what is written shows that a client has gone: by the second comment at the latest. */
  private static final Duration COMMENT_EVERY = Duration.ofSeconds(1);

  private static final long MAX_WAITING_BYTES = 1 << 20;

  record Opened(UUID room, long last) {}

  private final Room room;
  private final Presence presence;
  private final AsyncTaskExecutor threads;
  private volatile boolean stopping;

  EventStreams(Room room, Presence presence, AsyncTaskExecutor threads) {
    this.room = room;
    this.presence = presence;
    this.threads = threads;
  }

  // #region chat.events
  SseEmitter open(long after, String user, ServletRequest request) {
    var stream = new Stream(after, user);
    request.setAttribute(SlowClients.TOO_SLOW, (BooleanSupplier) stream::isTooFarBehind);
    threads.execute(stream);
    return stream.emitter;
  }

  private class Stream implements Runnable {
    private final SseEmitter emitter = new SseEmitter(0L); // without a time-out
    private final String user;

    /** The last message that is written, or about to be. */
    private volatile long last;

    Stream(long after, String user) {
      this.last = after;
      this.user = user;
    }

    @Override
    public void run() {
      presence.enter(user);
      try {
        Room.News news = room.after(last);
        emitter.send(event().name("room").data(new Opened(room.id, news.last()), APPLICATION_JSON));
        do {
          write(news.messages());
          news = room.await(last, COMMENT_EVERY);
        } while (!stopping && !isTooMuch(news.messages()));
        emitter.complete();
      } catch (IOException e) {
        // The client has gone, or does not read. Tomcat ends the request.
      } catch (InterruptedException e) {
        emitter.complete();
      } catch (RuntimeException e) {
        emitter.completeWithError(e);
      } finally {
        presence.leave(user);
      }
    }

    private void write(List<Message> messages) throws IOException {
      if (messages.isEmpty()) {
        emitter.send(event().comment(""));
        return;
      }
      last = messages.get(messages.size() - 1).id();
      for (Message message : messages) {
        emitter.send(event().id(Long.toString(message.id())).data(message, APPLICATION_JSON));
      }
    }

    /** Its thread may be in the middle of a write. */
    private boolean isTooFarBehind() {
      return isTooMuch(room.after(last).messages());
    }

    /** Whether the room has forgotten what comes next, or so much waits. */
    private boolean isTooMuch(List<Message> waiting) {
      return !waiting.isEmpty()
          && (waiting.get(0).id() > last + 1
              || waiting.stream().mapToLong(EventStreams::bytes).sum() > MAX_WAITING_BYTES);
    }
  }

  // #endregion chat.events

  private static long bytes(Message message) {
    return message.text().getBytes(StandardCharsets.UTF_8).length;
  }

  @EventListener(ContextClosedEvent.class)
  void stop() {
    stopping = true;
  }
}
