package org.samewire.raytracer;

import java.awt.image.BufferedImage;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import javax.imageio.ImageIO;

final class Picture {
  static {
    // By default ImageIO keeps what it writes in a temporary file.
    ImageIO.setUseCache(false);
  }

  private Picture() {}

  static byte[] png(int width, int height, int depth) throws IOException, InterruptedException {
    var image = new BufferedImage(width, height, BufferedImage.TYPE_3BYTE_BGR);
    byte[] row = new byte[3 * width];
    for (int y = 0; y < height; y++) {
      // Spring interrupts a picture that is late, and one that is not done when the server stops.
      if (Thread.interrupted()) {
        throw new InterruptedException();
      }
      Raytracer.renderRow(width, height, depth, y, row, 0);
      image.getRaster().setDataElements(0, y, width, 1, row);
    }
    var png = new ByteArrayOutputStream();
    ImageIO.write(image, "png", png);
    return png.toByteArray();
  }
}
