package org.samewire.raytracer;

import static org.assertj.core.api.Assertions.assertThat;

import java.awt.image.BufferedImage;
import java.io.ByteArrayInputStream;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.webmvc.test.autoconfigure.WebMvcTest;
import org.springframework.http.MediaType;
import org.springframework.test.web.servlet.assertj.MockMvcTester;

@WebMvcTest(RenderController.class)
class RenderControllerTest {
  @Autowired private MockMvcTester mvc;

  @Test
  void picture() throws Exception {
    byte[] png =
        assertThat(mvc.get().uri("/render?width=30&height=20&depth=3"))
            .hasStatus(200)
            .hasContentType(MediaType.IMAGE_PNG)
            .body()
            .actual();
    BufferedImage image = ImageIO.read(new ByteArrayInputStream(png));
    byte[] pixels = (byte[]) image.getRaster().getDataElements(0, 0, 30, 20, null);
    assertThat(pixels).isEqualTo(Raytracer.render(30, 20, 3));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "?height=20&depth=3",
        "?width=0&height=20&depth=3",
        "?width=1921&height=20&depth=3",
        "?width=30&height=1081&depth=3",
        "?width=30&height=20&depth=11",
        "?width=30&height=20&depth=-1",
        "?width=30&height=20&depth=",
        "?width=30&height=20&depth=x",
        "?width=4294967297&height=20&depth=3",
      })
  void badParameters(String query) {
    problem("/render" + query, 400);
  }

  private void problem(String uri, int status) {
    assertThat(mvc.get().uri(uri))
        .hasStatus(status)
        .hasContentType(MediaType.APPLICATION_PROBLEM_JSON)
        .bodyJson()
        .hasPathSatisfying("$.status", value -> value.assertThat().isEqualTo(status))
        .hasPath("$.title")
        .hasPath("$.detail");
  }
}
