package org.samewire.randoms.draws;

import jakarta.servlet.http.HttpServletRequest;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.ThreadLocalRandom;
import org.samewire.randoms.web.Problem;
import org.samewire.randoms.web.ProblemException;
import org.samewire.randoms.web.Query;
import org.samewire.xorshift.Xorshift;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** The draws: on threads of their own, or on the one that serves the request. */
@RestController
class DrawsController {
  private static final int MAX_COUNT = 100_000_000;
  private static final long MAX_SEED = 4_294_967_295L;

  private final ExecutorService drawing;
  private final ResultLog log;

  DrawsController(@Qualifier("drawing") ExecutorService drawing, ResultLog log) {
    this.drawing = drawing;
    this.log = log;
  }

  // #region randoms.draw
  /** The request's thread goes back to Tomcat; one that takes the result gets it to the client. */
  @GetMapping("/randoms")
  CompletableFuture<ResponseEntity<byte[]>> elsewhere(HttpServletRequest request) {
    int count = count(request);
    int seed = seed(request);
    return CompletableFuture.supplyAsync(() -> draw(count, seed), drawing);
  }

  // #endregion randoms.draw

  @GetMapping("/randoms/sync")
  ResponseEntity<byte[]> here(HttpServletRequest request) {
    return draw(count(request), seed(request));
  }

  private ResponseEntity<byte[]> draw(int count, int seed) {
    var result = new Result(count, Xorshift.draw(count, seed));
    log.add(result);
    return ResponseEntity.ok().contentType(MediaType.APPLICATION_JSON).body(result.bytes());
  }

  private static int count(HttpServletRequest request) {
    String text = Query.first(request, "count");
    return text == null ? MAX_COUNT : (int) integer(text, 0, MAX_COUNT, Problem.COUNT);
  }

  /** The 32 bits of the seed, as an int. */
  private static int seed(HttpServletRequest request) {
    String text = Query.first(request, "seed");
    return (int)
        (text == null
            ? ThreadLocalRandom.current().nextLong(1, MAX_SEED + 1)
            : integer(text, 1, MAX_SEED, Problem.SEED));
  }

  private static long integer(String text, long least, long most, Problem problem) {
    if (text.matches("0|[1-9][0-9]{0,9}")) {
      long value = Long.parseLong(text);
      if (value >= least && value <= most) {
        return value;
      }
    }
    throw new ProblemException(problem);
  }
}
