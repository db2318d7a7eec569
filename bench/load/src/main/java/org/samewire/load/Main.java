package org.samewire.load;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Loads servers with the users of scenarios: {@code java -jar load.jar SCENARIO…}.
 *
 * <p>Reads a line {@code URL RESULT [N [RATE]]} from standard input for every load, loads the
 * server with scenario N (from 0; the first one if there is no N), at RATE requests per second if
 * there is one, and writes the result to that file. Says on standard output what it is doing, a
 * line of JSON for every stage and every second. One process for many loads, so that the cost of a
 * request is not that of code that has yet to be compiled.
 */
public final class Main {
  private static final ObjectMapper JSON = new ObjectMapper();

  // The event loop must never wait for whoever reads the progress.
  private final BlockingQueue<Map<String, ?>> progress = new LinkedBlockingQueue<>();

  /** Tells the user in one line what is wrong with what it was given. */
  static final class InputException extends Exception {
    InputException(String message) {
      super(message);
    }
  }

  /** A line of standard input. */
  record Run(URI url, Path result, int scenario, double ratePerSecond) {
    // A path may have blanks.
    private static final Pattern LINE =
        Pattern.compile("(\\S+) (.+?)(?: (-?\\d+)(?: (-?\\d+\\.\\d+))?)?");

    static Run parse(String line, int scenarios) throws InputException {
      Matcher matcher = LINE.matcher(line);
      if (!matcher.matches()) {
        throw new InputException("not URL RESULT [N [RATE]]: " + line);
      }
      try {
        int scenario = matcher.group(3) == null ? 0 : Integer.parseInt(matcher.group(3));
        if (scenario < 0 || scenario >= scenarios) {
          throw new IllegalArgumentException("scenarios are 0 to " + (scenarios - 1));
        }
        double rate = matcher.group(4) == null ? 0 : Double.parseDouble(matcher.group(4));
        if (matcher.group(4) != null && rate <= 0) {
          throw new IllegalArgumentException("a rate is more than 0");
        }
        return new Run(URI.create(matcher.group(1)), Path.of(matcher.group(2)), scenario, rate);
      } catch (IllegalArgumentException e) {
        throw new InputException("%s: %s".formatted(line, e.getMessage()));
      }
    }
  }

  public static void main(String[] args) throws Exception {
    try {
      new Main().serve(args, new BufferedReader(new InputStreamReader(System.in)));
    } catch (InputException e) {
      System.err.println("load: " + e.getMessage());
      System.exit(2);
    }
  }

  void serve(String[] files, BufferedReader runs) throws Exception {
    if (files.length == 0) {
      throw new InputException(
          "usage: load.jar SCENARIO...; then a line URL RESULT [N [RATE]] for every load");
    }
    List<Scenario> scenarios = new ArrayList<>();
    for (String file : files) {
      scenarios.add(read(file));
    }
    startPrinting();
    progress.add(Map.of("stage", "ready"));
    for (String line = runs.readLine(); line != null; line = runs.readLine()) {
      Run run = Run.parse(line, scenarios.size());
      Scenario scenario = scenarios.get(run.scenario());
      if (run.ratePerSecond() > 0 && scenario.requestsPerUser() > 0) {
        throw new InputException(line + ": the users of this scenario leave after their requests");
      }
      Map<String, ?> result = load(scenario, run.ratePerSecond(), run.url());
      JSON.writeValue(run.result().toFile(), result);
      progress.add(Map.of("stage", "done"));
    }
  }

  private static Scenario read(String file) throws InputException {
    try {
      return Scenario.read(Path.of(file));
    } catch (IOException e) {
      // The lines behind the first one quote the scenario.
      throw new InputException(file + ": " + e.getMessage().lines().findFirst().orElse(""));
    }
  }

  private void startPrinting() {
    Thread printer = new Thread(this::print, "progress");
    printer.setDaemon(true);
    printer.start();
  }

  private void print() {
    try {
      while (true) {
        System.out.println(JSON.writeValueAsString(progress.take()));
      }
    } catch (InterruptedException | IOException e) {
      throw new IllegalStateException(e);
    }
  }

  Map<String, ?> load(Scenario scenario, double ratePerSecond, URI url)
      throws InterruptedException {
    int requests = scenario.requestsToldApart();
    if (!scenario.warmUp().hold().isZero()) {
      progress.add(Map.of("stage", "warm_up"));
      Scenario.Plan plan = scenario.warmUp();
      new Users(scenario, plan, new Meter(plan, scenario.users(), requests, line -> {}, null))
          .run(url);
    }
    Scenario.Plan plan = scenario.measured(ratePerSecond);
    Prober prober =
        scenario.probe() == null ? null : new Prober(scenario.probe(), scenario.timeout(), url);
    Meter meter =
        new Meter(plan, scenario.users(), requests, progress::add, live(scenario, prober));
    Map<String, Object> result = new LinkedHashMap<>();
    result.put("hdr_unit", "ns");
    try {
      new Users(scenario, plan, meter).run(url);
    } finally {
      if (prober != null) {
        prober.end();
      }
    }
    if (prober != null) {
      result.put("probe", meter.inHold(prober));
    }
    result.putAll(meter.toMap());
    return result;
  }

  private Live live(Scenario scenario, Prober prober) {
    double every = scenario.liveEverySeconds();
    return every == 0 ? null : new Live(every, prober, progress::add);
  }
}
