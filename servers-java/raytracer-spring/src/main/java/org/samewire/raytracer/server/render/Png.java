package org.samewire.raytracer.server.render;

import java.awt.color.ColorSpace;
import java.awt.image.BufferedImage;
import java.awt.image.ComponentColorModel;
import java.awt.image.DataBuffer;
import java.awt.image.DataBufferByte;
import java.awt.image.Raster;
import java.awt.image.WritableRaster;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import javax.imageio.ImageIO;

/** Pixels as a PNG: 8-bit RGB. */
final class Png {
  private static final int[] RGB = {0, 1, 2};

  private static final ComponentColorModel COLORS =
      new ComponentColorModel(
          ColorSpace.getInstance(ColorSpace.CS_sRGB),
          false,
          false,
          ComponentColorModel.OPAQUE,
          DataBuffer.TYPE_BYTE);

  static {
    // No temporary files.
    ImageIO.setUseCache(false);
  }

  private Png() {}

  static ByteArrayOutputStream encode(int width, int height, byte[] pixels) throws IOException {
    var data = new DataBufferByte(pixels, pixels.length);
    WritableRaster raster =
        Raster.createInterleavedRaster(data, width, height, 3 * width, 3, RGB, null);
    var png = new ByteArrayOutputStream();
    ImageIO.write(new BufferedImage(COLORS, raster, false, null), "png", png);
    return png;
  }
}
