package org.samewire.load;

import com.fasterxml.jackson.annotation.JsonFormat;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyOrder;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.hyperfoil.http.api.HttpMethod;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * A closed model: as many users as there are lists, or {@code users} who share one {@code list} and
 * begin at different places of it. Each walks its list over and over, on its own connection and
 * without think time. Users arrive one by one during the ramp-up and leave in the same order during
 * the ramp-down.
 */
record Scenario(
    @JsonProperty(value = "warm_up_s", required = true) double warmUpSeconds,
    @JsonProperty(value = "ramp_up_s", required = true) double rampUpSeconds,
    @JsonProperty(value = "hold_s", required = true) double holdSeconds,
    @JsonProperty(value = "ramp_down_s", required = true) double rampDownSeconds,
    @JsonProperty(value = "timeout_s", required = true) double timeoutSeconds,
    @JsonProperty("lists") List<List<Exchange>> lists,
    @JsonProperty("users") int users,
    @JsonProperty("list") List<Exchange> list) {
  private static final int MOST_TOLD_APART = 100;

  /**
   * A request and the status that is right for it: in JSON {@code ["/dktPz4", 301]}, a GET, or
   * {@code ["/todos", 201, "POST", "{\"title\":\"…\"}", {"Accept-Encoding": "gzip"}]}, whose body
   * is JSON, or {@code ["/uploads", 201, "POST", [4, 5403]]}, whose body is two files. The path
   * {@code {location}} is that of the last answer of its list with a Location; where there was
   * none, the list begins anew.
   */
  @JsonFormat(shape = JsonFormat.Shape.ARRAY)
  @JsonPropertyOrder({"path", "status", "method", "body", "headers"})
  record Exchange(
      String path, int status, HttpMethod method, Body body, Map<String, String> headers) {
    private static final String LOCATION = "{location}";

    Exchange {
      if (path == null) {
        throw new IllegalArgumentException("lists: a request without a path");
      }
      method = method == null ? HttpMethod.GET : method;
      headers = headers == null ? Map.of() : headers;
    }

    Exchange(String path, int status) {
      this(path, status, HttpMethod.GET, null, null);
    }

    Exchange(String path, int status, HttpMethod method, Body body) {
      this(path, status, method, body, null);
    }

    boolean needsLocation() {
      return path.equals(LOCATION);
    }
  }

  Scenario {
    if ((lists == null) == (list == null) || (list == null) != (users == 0)) {
      throw new IllegalArgumentException("either lists, or users and a list");
    }
    if (users < 0) {
      throw new IllegalArgumentException("users must be positive");
    }
    if (list == null) {
      users = lists.size();
    } else {
      lists = Collections.nCopies(users, list);
    }
    if (lists.isEmpty() || lists.stream().anyMatch(List::isEmpty)) {
      throw new IllegalArgumentException("lists: at least one user, and a request for each");
    }
    if (lists.stream().anyMatch(walked -> walked.get(0).needsLocation())) {
      throw new IllegalArgumentException("lists: the first request of a list has no location yet");
    }
    if (warmUpSeconds < 0 || rampUpSeconds < 0 || rampDownSeconds < 0) {
      throw new IllegalArgumentException(
          "warm_up_s, ramp_up_s and ramp_down_s must not be negative");
    }
    if (holdSeconds <= 0 || timeoutSeconds <= 0) {
      throw new IllegalArgumentException("hold_s and timeout_s must be positive");
    }
  }

  Scenario(
      double warmUpSeconds,
      double rampUpSeconds,
      double holdSeconds,
      double rampDownSeconds,
      double timeoutSeconds,
      List<List<Exchange>> lists) {
    this(
        warmUpSeconds, rampUpSeconds, holdSeconds, rampDownSeconds, timeoutSeconds, lists, 0, null);
  }

  static Scenario read(Path file) throws IOException {
    return new ObjectMapper().readValue(file.toFile(), Scenario.class);
  }

  /** The place of its list where a user begins; never at a request that needs a location. */
  int start(int user) {
    if (list == null) {
      return 0;
    }
    int place = (int) ((long) user * list.size() / users);
    return list.get(place).needsLocation() ? 0 : place;
  }

  /** Every request once for each list that it stands in; of a list that users share, once. */
  Stream<Exchange> exchanges() {
    return list == null ? lists.stream().flatMap(List::stream) : list.stream();
  }

  /**
   * How many requests are told apart: those of the list, if all users walk the same one and it is
   * not a long one, or none.
   */
  int requestsToldApart() {
    List<Exchange> first = lists.get(0);
    boolean same = first.size() <= MOST_TOLD_APART && lists.stream().allMatch(first::equals);
    return same ? first.size() : 0;
  }

  Duration timeout() {
    return seconds(timeoutSeconds);
  }

  Plan warmUp() {
    return new Plan(Duration.ZERO, seconds(warmUpSeconds), Duration.ZERO);
  }

  Plan measured() {
    return new Plan(seconds(rampUpSeconds), seconds(holdSeconds), seconds(rampDownSeconds));
  }

  private static Duration seconds(double seconds) {
    return Duration.ofNanos(Math.round(seconds * 1e9));
  }

  /** When the users of a phase come and go. */
  record Plan(Duration rampUp, Duration hold, Duration rampDown) {

    Duration total() {
      return rampUp.plus(hold).plus(rampDown);
    }

    Duration arrival(int user, int users) {
      return rampUp.multipliedBy(user).dividedBy(users);
    }

    Duration departure(int user, int users) {
      return rampUp.plus(hold).plus(rampDown.multipliedBy(user + 1L).dividedBy(users));
    }
  }
}
