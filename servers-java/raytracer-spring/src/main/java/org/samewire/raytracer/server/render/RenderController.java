package org.samewire.raytracer.server.render;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.concurrent.Semaphore;
import org.samewire.raytracer.Raytracer;
import org.samewire.raytracer.server.web.Problem;
import org.samewire.raytracer.server.web.ProblemException;
import org.samewire.raytracer.server.web.Query;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/**
 * The pictures. Each is rendered on its request's thread, as many at once as there are cores; more
 * would only take each other's time.
 */
@RestController
class RenderController {
  /** Less than Tomcat has threads, so that some are left for what takes no time. */
  private static final int MAX_WAITING = 160;

  private final Semaphore cores = new Semaphore(Runtime.getRuntime().availableProcessors(), true);

  // #region raytracer.render
  @GetMapping("/render")
  void render(HttpServletRequest request, HttpServletResponse response)
      throws IOException, InterruptedException {
    int width = integer(Query.first(request, "width"), 1, 1920, Problem.WIDTH);
    int height = integer(Query.first(request, "height"), 1, 1080, Problem.HEIGHT);
    int depth = integer(Query.first(request, "depth"), 0, 10, Problem.DEPTH);
    response.setContentType("image/png");
    if (request.getMethod().equals("HEAD")) {
      return;
    }
    if (cores.getQueueLength() >= MAX_WAITING) {
      throw new ProblemException(Problem.UNAVAILABLE);
    }
    ByteArrayOutputStream png;
    cores.acquire();
    try {
      png = Png.encode(width, height, pixels(width, height, depth));
    } finally {
      cores.release();
    }
    response.setContentLength(png.size());
    png.writeTo(response.getOutputStream());
  }

  /** Tomcat does not tell that a client has left, but it interrupts when it has to stop. */
  private static byte[] pixels(int width, int height, int depth) throws InterruptedException {
    byte[] pixels = new byte[3 * width * height];
    for (int y = 0; y < height; y++) {
      if (Thread.interrupted()) {
        throw new InterruptedException();
      }
      Raytracer.renderRow(width, height, depth, y, pixels, 3 * width * y);
    }
    return pixels;
  }

  // #endregion raytracer.render

  private static int integer(String text, int least, int most, Problem problem) {
    if (text != null && text.matches("0|[1-9][0-9]{0,3}")) {
      int value = Integer.parseInt(text);
      if (value >= least && value <= most) {
        return value;
      }
    }
    throw new ProblemException(problem);
  }
}
