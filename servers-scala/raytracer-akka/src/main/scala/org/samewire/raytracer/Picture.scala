package org.samewire.raytracer

import akka.util.ByteString
import java.awt.Transparency.OPAQUE
import java.awt.color.ColorSpace
import java.awt.image.{BufferedImage, ComponentColorModel, DataBuffer, DataBufferByte, Raster}
import java.io.ByteArrayOutputStream
import javax.imageio.ImageIO

/** What a client asks for. Akka HTTP answers a `require` that fails with 400. */
final case class Picture(width: Int, height: Int, depth: Int) {
  require(width >= 1 && width <= 1920, "width must be from 1 to 1920")
  require(height >= 1 && height <= 1080, "height must be from 1 to 1080")
  require(depth >= 0 && depth <= 10, "depth must be from 0 to 10")
}

object Picture {
  // By default ImageIO keeps what it writes in a temporary file.
  ImageIO.setUseCache(false)

  private val Rgb = new ComponentColorModel(
    ColorSpace.getInstance(ColorSpace.CS_sRGB),
    false,
    false,
    OPAQUE,
    DataBuffer.TYPE_BYTE
  )

  def png(width: Int, height: Int, pixels: Array[Byte]): ByteString = {
    val raster = Raster.createInterleavedRaster(
      new DataBufferByte(pixels, pixels.length),
      width,
      height,
      3 * width,
      3,
      Array(0, 1, 2),
      null
    )
    val bytes = new ByteArrayOutputStream
    ImageIO.write(new BufferedImage(Rgb, raster, false, null), "png", bytes)
    ByteString.fromArrayUnsafe(bytes.toByteArray)
  }
}
