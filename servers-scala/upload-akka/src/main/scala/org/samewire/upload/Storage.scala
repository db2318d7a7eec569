package org.samewire.upload

import akka.util.ByteString
import java.nio.channels.FileChannel
import java.nio.file.StandardCopyOption.ATOMIC_MOVE
import java.nio.file.StandardOpenOption.{CREATE_NEW, READ, WRITE}
import java.nio.file.{Files, NoSuchFileException, Path}
import java.util.UUID
import scala.jdk.CollectionConverters._
import scala.util.Using

/** The folder of uploads: one file for each, named by its id. All of it blocks. */
final class Storage(directory: Path) {
  import Storage._

  /** Deletes what a predecessor that was killed has left unfinished. */
  def clean(): Unit =
    Using.resource(Files.newDirectoryStream(directory, s"$Unfinished*")) {
      _.asScala.foreach(Files.deleteIfExists(_))
    }

  def begin(name: String): Draft = {
    val id = UUID.randomUUID.toString
    val path = directory.resolve(Unfinished + id)
    new Draft(id, name, path, directory.resolve(id), FileChannel.open(path, CREATE_NEW, WRITE))
  }

  def open(id: String): Option[FileChannel] =
    find(id).flatMap { path =>
      try Some(FileChannel.open(path, READ))
      catch { case _: NoSuchFileException => None }
    }

  /** Whether it was there. */
  def delete(id: String): Boolean = find(id).exists(Files.deleteIfExists(_))

  private def find(id: String): Option[Path] =
    Option.when(id.matches(Id))(directory.resolve(id)).filter(Files.isRegularFile(_))
}

object Storage {
  private val Unfinished = ".part-"
  private val Id = "[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}"
}

/** A file that is being received. */
final class Draft(
    val id: String,
    val name: String,
    unfinished: Path,
    finished: Path,
    channel: FileChannel
) {
  private var written = 0L

  def size: Long = written

  def write(bytes: ByteString): Unit =
    bytes.asByteBuffers.foreach { buffer =>
      while (buffer.hasRemaining) written += channel.write(buffer)
    }

  def close(): Unit = channel.close()

  def publish(): Unit = {
    Files.move(unfinished, finished, ATOMIC_MOVE)
    ()
  }

  def withdraw(): Unit = {
    Files.deleteIfExists(finished)
    ()
  }

  /** Does nothing to what is published. */
  def discard(): Unit = {
    channel.close()
    Files.deleteIfExists(unfinished)
    ()
  }
}
