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
 * without think time. Users arrive one by one during the ramp-up. They leave in the same order
 * during the ramp-down, or each after {@code requests_per_user} requests. A {@code probe} may ask
 * beside them. {@code live_every_s} is how often someone who watches is told of them; 0 is never.
 */
record Scenario(
    @JsonProperty(value = "warm_up_s", required = true) double warmUpSeconds,
    @JsonProperty(value = "ramp_up_s", required = true) double rampUpSeconds,
    @JsonProperty("hold_s") double holdSeconds,
    @JsonProperty("ramp_down_s") double rampDownSeconds,
    @JsonProperty(value = "timeout_s", required = true) double timeoutSeconds,
    @JsonProperty("lists") List<List<Exchange>> lists,
    @JsonProperty("users") int users,
    @JsonProperty("list") List<Exchange> list,
    @JsonProperty("requests_per_user") int requestsPerUser,
    @JsonProperty("probe") Prober.Probe probe,
    @JsonProperty("live_every_s") double liveEverySeconds) {
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
    if (timeoutSeconds <= 0) {
      throw new IllegalArgumentException("timeout_s must be positive");
    }
    if (holdSeconds < 0 || requestsPerUser < 0 || (holdSeconds > 0) == (requestsPerUser > 0)) {
      throw new IllegalArgumentException("either hold_s or requests_per_user must be positive");
    }
    if (liveEverySeconds < 0) {
      throw new IllegalArgumentException("live_every_s must not be negative");
    }
    if (requestsPerUser > 0 && rampDownSeconds > 0) {
      throw new IllegalArgumentException("ramp_down_s: users leave after their requests");
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
        warmUpSeconds,
        rampUpSeconds,
        holdSeconds,
        rampDownSeconds,
        timeoutSeconds,
        lists,
        0,
        null,
        0,
        null,
        0);
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
    return new Plan(Duration.ZERO, seconds(warmUpSeconds), Duration.ZERO, 0, 0);
  }

  /** With a rate of 0 users do not wait for a turn. */
  Plan measured(double ratePerSecond) {
    Duration rampUp = seconds(rampUpSeconds);
    Duration rampDown = seconds(rampDownSeconds);
    return new Plan(rampUp, seconds(holdSeconds), rampDown, requestsPerUser, ratePerSecond);
  }

  private static Duration seconds(double seconds) {
    return Duration.ofNanos(Math.round(seconds * 1e9));
  }

  /**
   * When the users of a phase come, send and go. They come and go by the clock, or each leaves
   * after {@code requestsPerUser} requests if that is not 0. They send when they have their answer;
   * or, if there is a rate, all are there from the beginning and send in turn, at that rate.
   */
  record Plan(
      Duration rampUp,
      Duration hold,
      Duration rampDown,
      int requestsPerUser,
      double ratePerSecond) {

    boolean byRequests() {
      return requestsPerUser > 0;
    }

    boolean byRate() {
      return ratePerSecond > 0;
    }

    Duration total() {
      return rampUp.plus(hold).plus(rampDown);
    }

    /** No user stays longer, each request being answered or given up within {@code timeout}. */
    Duration bound(Duration timeout) {
      return total().plus(timeout.multipliedBy(Math.max(1, requestsPerUser)));
    }

    Duration arrival(int user, int users) {
      return byRate() ? Duration.ZERO : rampUp.multipliedBy(user).dividedBy(users);
    }

    Duration departure(int user, int users) {
      return rampUp
          .plus(hold)
          .plus(rampDown.multipliedBy(byRate() ? users : user + 1L).dividedBy(users));
    }

    /** When a turn is due, in nanoseconds from the beginning. */
    long due(long turn) {
      return Math.round(turn * 1e9 / ratePerSecond);
    }

    /** How many turns are due in the whole phase. */
    long turns() {
      return (long) Math.ceil(total().toNanos() / 1e9 * ratePerSecond);
    }
  }
}
