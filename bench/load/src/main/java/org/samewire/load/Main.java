package org.samewire.load;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.URI;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/**
 * Loads servers with the users of one scenario: {@code java -jar load.jar SCENARIO}.
 *
 * <p>Reads a line {@code URL RESULT} from standard input for every server, loads the server and
 * writes the result to that file. Says on standard output what it is doing, a line of JSON for
 * every stage and every second. One process for many servers, so that the cost of a request is not
 * that of code that has yet to be compiled.
 */
public final class Main {
  private static final ObjectMapper JSON = new ObjectMapper();

  private final Scenario scenario;
  // The event loop must never wait for whoever reads the progress.
  private final BlockingQueue<Map<String, ?>> progress = new LinkedBlockingQueue<>();

  Main(Scenario scenario) {
    this.scenario = scenario;
  }

  public static void main(String[] args) throws Exception {
    if (args.length != 1) {
      System.err.println("usage: load.jar SCENARIO; then a line URL RESULT for every run");
      System.exit(2);
    }
    Main main = new Main(Scenario.read(Path.of(args[0])));
    main.startPrinting();
    main.progress.add(Map.of("stage", "ready"));
    BufferedReader runs = new BufferedReader(new InputStreamReader(System.in));
    for (String run = runs.readLine(); run != null; run = runs.readLine()) {
      String[] urlAndResult = run.split(" ", 2);
      Map<String, ?> result = main.load(URI.create(urlAndResult[0]));
      JSON.writeValue(Path.of(urlAndResult[1]).toFile(), result);
      main.progress.add(Map.of("stage", "done"));
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

  Map<String, ?> load(URI url) throws InterruptedException {
    int requests = scenario.requestsToldApart();
    if (!scenario.warmUp().total().isZero()) {
      progress.add(Map.of("stage", "warm_up"));
      Scenario.Plan plan = scenario.warmUp();
      new Users(scenario, plan, new Meter(plan, requests, line -> {})).run(url);
    }
    Scenario.Plan plan = scenario.measured();
    Meter meter = new Meter(plan, requests, progress::add);
    new Users(scenario, plan, meter).run(url);

    Map<String, Object> result = new LinkedHashMap<>();
    result.put("hdr_unit", "ns");
    result.putAll(meter.toMap());
    return result;
  }
}
