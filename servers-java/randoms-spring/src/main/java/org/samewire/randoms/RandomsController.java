package org.samewire.randoms;

import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import java.util.concurrent.Callable;
import java.util.concurrent.ThreadLocalRandom;
import org.samewire.xorshift.Xorshift;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.http.HttpMethod;
import org.springframework.http.MediaType;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import tools.jackson.databind.json.JsonMapper;

@RestController
// Spring would take an empty parameter for none.
@RequestMapping(
    path = "/randoms",
    params = {"count!=", "seed!="},
    produces = MediaType.APPLICATION_JSON_VALUE)
class RandomsController {
  private static final int MAX_COUNT = 100_000_000;
  private static final long MAX_SEED = 4_294_967_295L;

  private final JsonMapper json;
  private final Logger results;

  RandomsController(JsonMapper json, RandomsProperties properties) {
    this.json = json;
    results = LoggerFactory.getLogger("results." + properties.log());
  }

  // #region randoms.draw
  /** Spring MVC gives the Callable to a thread of the pool; the thread of the request is free. */
  @GetMapping
  Callable<String> elsewhere(
      @RequestParam(defaultValue = "" + MAX_COUNT) @Min(0) @Max(MAX_COUNT) int count,
      @RequestParam(required = false) @Min(1) @Max(MAX_SEED) Long seed,
      HttpMethod method) {
    return () -> draw(count, seed, method);
  }

  // #endregion randoms.draw

  @GetMapping("/sync")
  String here(
      @RequestParam(defaultValue = "" + MAX_COUNT) @Min(0) @Max(MAX_COUNT) int count,
      @RequestParam(required = false) @Min(1) @Max(MAX_SEED) Long seed,
      HttpMethod method) {
    return draw(count, seed, method);
  }

  /**
   * The answer and the line of the log are one text. Tomcat has to know its length: it compresses
   * all that it does not know to be short.
   */
  private String draw(int count, Long seed, HttpMethod method) {
    long state = seed == null ? ThreadLocalRandom.current().nextLong(1, MAX_SEED + 1) : seed;
    int[] times = Xorshift.draw(count, (int) state);
    String result = json.writeValueAsString(Result.of(count, times));
    if (method == HttpMethod.GET) {
      results.info(result);
    }
    return result;
  }
}
