package org.samewire.report.upstream;

import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.hc.client5.http.classic.methods.HttpGet;
import org.apache.hc.client5.http.impl.classic.CloseableHttpClient;
import org.apache.hc.core5.http.ClassicHttpResponse;
import org.apache.hc.core5.http.Header;
import org.apache.hc.core5.http.HttpEntity;
import org.samewire.report.Settings;
import org.samewire.report.web.Problem;
import org.samewire.report.web.ProblemException;
import org.springframework.core.task.AsyncTaskExecutor;
import org.springframework.stereotype.Component;

/** The two servers that a report is made of. */
@Component
public class Upstreams {
  private static final int MAX_TODO_BYTES = 1024 * 1024;
  private static final int MAX_IMAGE_BYTES = 16 * 1024 * 1024;

  /** What both say. */
  public record Answers(List<Todo> todos, byte[] image) {}

  @FunctionalInterface
  private interface Reader<T> {
    T read(ClassicHttpResponse response) throws IOException;
  }

  private final CloseableHttpClient client;
  private final AsyncTaskExecutor executor;
  private final URI todoUrl;
  private final URI imageUrl;
  private final long timeoutMillis;

  Upstreams(
      CloseableHttpClient client, AsyncTaskExecutor applicationTaskExecutor, Settings settings) {
    this.client = client;
    executor = applicationTaskExecutor;
    todoUrl = settings.todoUrl().resolve("/todos?limit=100");
    imageUrl = settings.raytracerUrl().resolve("/render?width=320&height=240&depth=3");
    timeoutMillis = settings.upstreamTimeout().toMillis();
  }

  // #region report.fetch-both
  /** Asks both at once, on a thread each, and waits for both or for the first failure. */
  public Answers fetch() {
    var todoRequest = new HttpGet(todoUrl);
    var imageRequest = new HttpGet(imageUrl);
    var todos =
        ask(
            todoRequest,
            response -> TodoList.parse(body(response, "application/json", MAX_TODO_BYTES)));
    var image = ask(imageRequest, response -> body(response, "image/png", MAX_IMAGE_BYTES));
    // Of itself, allOf waits for the other one, too.
    var both = CompletableFuture.allOf(todos, image);
    todos.whenComplete((answer, failure) -> failWith(failure, both));
    image.whenComplete((answer, failure) -> failWith(failure, both));
    try {
      both.join();
      return new Answers(todos.join(), image.join());
    } catch (CompletionException e) {
      boolean late = e.getCause() instanceof TimeoutException;
      throw new ProblemException(late ? Problem.UPSTREAM_TIMED_OUT : Problem.BAD_UPSTREAM);
    } finally {
      // Cuts what is unfinished; what is finished does not mind.
      todoRequest.cancel();
      imageRequest.cancel();
    }
  }

  /** The time is for all of it, from connecting to the last byte, however slowly they come. */
  private <T> CompletableFuture<T> ask(HttpGet request, Reader<T> reader) {
    var answer = new CompletableFuture<T>();
    executor.execute(
        () -> {
          try {
            answer.complete(client.execute(request, response -> read(request, response, reader)));
          } catch (IOException | RuntimeException e) {
            answer.completeExceptionally(e);
          }
        });
    return answer.orTimeout(timeoutMillis, TimeUnit.MILLISECONDS);
  }

  private static <T> T read(HttpGet request, ClassicHttpResponse response, Reader<T> reader)
      throws IOException {
    try {
      return reader.read(response);
    } catch (IOException e) {
      // The client would read the rest before it tells the failure.
      request.cancel();
      throw e;
    }
  }

  private static void failWith(Throwable failure, CompletableFuture<?> both) {
    if (failure != null) {
      both.completeExceptionally(failure);
    }
  }

  // #endregion report.fetch-both

  /** The body of a right answer. Throws an exception as soon as it is known to be none. */
  private static byte[] body(ClassicHttpResponse response, String type, int limit)
      throws IOException {
    HttpEntity entity = response.getEntity();
    boolean right =
        response.getCode() == 200
            && entity != null
            && entity.getContentType() != null
            && entity.getContentType().split(";", 2)[0].strip().equalsIgnoreCase(type)
            && Arrays.stream(response.getHeaders("Content-Encoding"))
                .map(Header::getValue)
                .allMatch("identity"::equalsIgnoreCase)
            && response.countHeaders("Content-Length") < 2
            && entity.getContentLength() <= limit;
    if (!right) {
      throw new IOException("not an answer that was asked for");
    }
    InputStream content = entity.getContent();
    byte[] body = content.readNBytes(limit + 1);
    if (body.length > limit) {
      throw new IOException("too large");
    }
    return body;
  }
}
