package org.samewire.raytracer

import akka.actor.typed.scaladsl.Behaviors
import akka.actor.typed.{ActorRef, Behavior}
import akka.util.ByteString
import java.awt.color.ColorSpace
import java.awt.image.{BufferedImage, ComponentColorModel, DataBuffer, DataBufferByte, Raster}
import java.awt.Transparency
import java.io.ByteArrayOutputStream
import javax.imageio.ImageIO
import scala.util.Try

/** Renders one picture after the other. */
object Renderer {

  /** `whose` is told when it is done, one way or another. */
  final case class Work(picture: Gallery.Picture, whose: ActorRef[Gallery.Finished])

  private val Rgb = new ComponentColorModel(
    ColorSpace.getInstance(ColorSpace.CS_sRGB),
    false,
    false,
    Transparency.OPAQUE,
    DataBuffer.TYPE_BYTE
  )

  def apply(): Behavior[Work] =
    Behaviors.receive { case (context, Work(picture, whose)) =>
      val answer = Try(render(picture).fold[Gallery.Answer](Gallery.Abandoned)(Gallery.Png))
      picture.replyTo ! answer.fold(Gallery.Failed, identity)
      whose ! Gallery.Finished(context.self)
      Behaviors.same
    }

  // #region raytracer.render
  /** The picture, or none if nobody waits for it any more. */
  private def render(picture: Gallery.Picture): Option[ByteString] = {
    import picture.{depth, height, width}
    val pixels = new Array[Byte](3 * width * height)
    val rows = Iterator.range(0, height).takeWhile(_ => !picture.abandoned)
    val rendered = rows.map { y =>
      Raytracer.renderRow(width, height, depth, y, pixels, 3 * width * y)
    }.size
    Option.when(rendered == height)(png(pixels, width, height))
  }
  // #endregion raytracer.render

  private def png(pixels: Array[Byte], width: Int, height: Int): ByteString = {
    val buffer = new DataBufferByte(pixels, pixels.length)
    val raster =
      Raster.createInterleavedRaster(buffer, width, height, 3 * width, 3, Array(0, 1, 2), null)
    val bytes = new ByteArrayOutputStream
    ImageIO.write(new BufferedImage(Rgb, raster, false, null), "png", bytes)
    ByteString.fromArrayUnsafe(bytes.toByteArray)
  }
}
