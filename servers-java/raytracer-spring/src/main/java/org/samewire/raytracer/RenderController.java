package org.samewire.raytracer;

import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import java.util.concurrent.Callable;
import org.springframework.http.MediaType;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

@RestController
class RenderController {

  // #region raytracer.render
  /** Spring MVC gives the Callable to a thread of the pool; the thread of the request is free. */
  @GetMapping(path = "/render", produces = MediaType.IMAGE_PNG_VALUE)
  Callable<byte[]> render(
      @RequestParam @Min(1) @Max(1920) int width,
      @RequestParam @Min(1) @Max(1080) int height,
      @RequestParam @Min(0) @Max(10) int depth) {
    return () -> Picture.png(width, height, depth);
  }
  // #endregion raytracer.render
}
