package org.samewire.load;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hyperfoil.http.api.HttpMethod;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.samewire.load.Scenario.Exchange;
import org.samewire.load.Scenario.Plan;

class ScenarioTest {

  @Test
  void usersComeAndGoOneByOneInTheSameOrder() {
    Plan plan =
        new Plan(Duration.ofSeconds(5), Duration.ofSeconds(45), Duration.ofSeconds(10), 0, 0);
    assertEquals(Duration.ZERO, plan.arrival(0, 40));
    assertEquals(Duration.ofMillis(4875), plan.arrival(39, 40));
    assertEquals(Duration.ofMillis(50_250), plan.departure(0, 40));
    assertEquals(Duration.ofSeconds(60), plan.departure(39, 40));
    assertEquals(Duration.ofSeconds(62), plan.bound(Duration.ofSeconds(2)));
  }

  @Test
  void aRateHasTurns() {
    Plan plan = new Plan(Duration.ofSeconds(1), Duration.ofSeconds(2), Duration.ZERO, 0, 2.5);
    assertEquals(0, plan.due(0));
    assertEquals(400_000_000, plan.due(1));
    assertEquals(8, plan.turns());
    assertTrue(plan.due(7) < plan.total().toNanos() && plan.due(8) >= plan.total().toNanos());
    assertEquals(Duration.ZERO, plan.arrival(39, 40));
    assertEquals(Duration.ofSeconds(3), plan.departure(0, 40));
  }

  @Test
  void usersLeaveByTheClockOrAfterTheirRequests(@TempDir Path folder) throws IOException {
    Path file = folder.resolve("scenario.json");
    String scenario =
        "{\"warm_up_s\":0,\"ramp_up_s\":0.2,\"timeout_s\":1,%s\"lists\":[[[\"/a\",301]]]}";
    Files.writeString(file, scenario.formatted("\"requests_per_user\":5,"));
    Plan plan = Scenario.read(file).measured(0);
    assertTrue(plan.byRequests());
    assertFalse(Scenario.read(file).warmUp().byRequests());
    assertEquals(Duration.ofMillis(5_200), plan.bound(Duration.ofSeconds(1)));
    for (String both :
        List.of(
            "",
            "\"requests_per_user\":5,\"hold_s\":1,",
            "\"requests_per_user\":5,\"ramp_down_s\":1,",
            "\"requests_per_user\":-5,\"hold_s\":1,")) {
      Files.writeString(file, scenario.formatted(both));
      assertThrows(IOException.class, () -> Scenario.read(file), both);
    }
  }

  @Test
  void refusesAScenarioThatItDoesNotUnderstand(@TempDir Path folder) throws IOException {
    Path file = folder.resolve("scenario.json");
    String known = "\"warm_up_s\":0,\"ramp_up_s\":0,\"hold_s\":1,\"ramp_down_s\":0,\"timeout_s\":1";
    Files.writeString(file, "{%s,\"lists\":[[[\"/a\",301]]]}".formatted(known));
    assertEquals(List.of(List.of(new Exchange("/a", 301))), Scenario.read(file).lists());
    Files.writeString(file, "{%s,\"lists\":[[[\"/a\",301]]],\"think_time_s\":1}".formatted(known));
    assertThrows(IOException.class, () -> Scenario.read(file));
    Files.writeString(file, "{%s,\"lists\":[]}".formatted(known));
    assertThrows(IOException.class, () -> Scenario.read(file));
    String made = "[\"/todos\",201,\"POST\",\"{}\"]";
    Files.writeString(file, "{%s,\"lists\":[[%s,[\"{location}\",200]]]}".formatted(known, made));
    List<Exchange> list =
        List.of(
            new Exchange("/todos", 201, HttpMethod.POST, new Body.Json("{}")),
            new Exchange("{location}", 200));
    assertEquals(List.of(list), Scenario.read(file).lists());
    String coded = "[\"/a\",200,null,null,{\"Accept-Encoding\":\"gzip\"}]";
    Files.writeString(file, "{%s,\"lists\":[[%s]]}".formatted(known, coded));
    Map<String, String> headers = Map.of("Accept-Encoding", "gzip");
    list = List.of(new Exchange("/a", 200, HttpMethod.GET, null, headers));
    assertEquals(List.of(list), Scenario.read(file).lists());
    Files.writeString(file, "{%s,\"lists\":[[[\"{location}\",200],%s]]}".formatted(known, made));
    assertThrows(IOException.class, () -> Scenario.read(file));
    Files.writeString(file, "{%s,\"lists\":[[[\"/a\",301,\"FETCH\"]]]}".formatted(known));
    assertThrows(IOException.class, () -> Scenario.read(file));
  }

  @Test
  void readsUsersWhoShareAList(@TempDir Path folder) throws IOException {
    Path file = folder.resolve("scenario.json");
    String known = "\"warm_up_s\":0,\"ramp_up_s\":0,\"hold_s\":1,\"ramp_down_s\":0,\"timeout_s\":1";
    String upload = "[\"/uploads\",201,\"POST\",[4,5403]]";
    Files.writeString(file, "{%s,\"users\":3,\"list\":[%s,[\"/a\",200]]}".formatted(known, upload));
    Scenario scenario = Scenario.read(file);
    Exchange files =
        new Exchange("/uploads", 201, HttpMethod.POST, new Body.Files(List.of(4, 5403)));
    assertEquals(List.of(files, new Exchange("/a", 200)), scenario.list());
    assertEquals(3, scenario.lists().size());
    assertEquals(2, scenario.requestsToldApart());

    for (String wrong :
        List.of(
            "\"users\":3",
            "\"list\":[%s]".formatted(upload),
            "\"users\":-1,\"list\":[%s]".formatted(upload),
            "\"users\":1,\"list\":[]",
            "\"users\":1,\"list\":[%s],\"lists\":[[%s]]".formatted(upload, upload),
            "\"users\":1,\"lists\":[[%s]]".formatted(upload),
            "\"users\":1,\"list\":[[\"/uploads\",201,\"POST\",[]]]",
            "\"users\":1,\"list\":[[\"/uploads\",201,\"POST\",[4,-1]]]",
            "\"users\":1,\"list\":[[\"/uploads\",201,\"POST\",[1073741824,1]]]")) {
      Files.writeString(file, "{%s,%s}".formatted(known, wrong));
      assertThrows(IOException.class, () -> Scenario.read(file), wrong);
    }
  }

  @Test
  void readsAProbe(@TempDir Path folder) throws IOException {
    Path file = folder.resolve("scenario.json");
    String known =
        "{\"warm_up_s\":0,\"ramp_up_s\":0,\"hold_s\":1,\"timeout_s\":1,"
            + "\"lists\":[[[\"/a\",301]]],\"probe\":%s}";
    Files.writeString(file, known.formatted("{\"path\":\"/healthz\",\"every_ms\":50}"));
    assertEquals(new Prober.Probe("/healthz", 50), Scenario.read(file).probe());
    for (String wrong :
        List.of(
            "{\"path\":\"/healthz\"}",
            "{\"every_ms\":50}",
            "{\"path\":\"healthz\",\"every_ms\":50}",
            "{\"path\":\"/healthz\",\"every_ms\":0}")) {
      Files.writeString(file, known.formatted(wrong));
      assertThrows(IOException.class, () -> Scenario.read(file), wrong);
    }
  }

  @Test
  void usersOfOneListBeginAtDifferentPlaces() {
    List<Exchange> list = new ArrayList<>(Collections.nCopies(5000, new Exchange("/a", 200)));
    Scenario scenario = new Scenario(0, 0, 1, 0, 1, null, 1000, list, 0, null, 0);
    assertEquals(0, scenario.start(0));
    assertEquals(5, scenario.start(1));
    assertEquals(4995, scenario.start(999));
    list.set(5, new Exchange("{location}", 200));
    assertEquals(0, scenario.start(1));
    assertEquals(0, new Scenario(0, 0, 1, 0, 1, List.of(list, list)).start(1));
  }
}
