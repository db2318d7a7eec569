package org.samewire.upload

import akka.actor.typed.scaladsl.{ActorContext, Behaviors}
import akka.actor.typed.{ActorRef, Behavior, PostStop}
import akka.stream.Materializer
import akka.stream.scaladsl.Source
import akka.stream.typed.scaladsl.ActorSink
import akka.util.ByteString
import java.io.IOException
import scala.annotation.tailrec
import scala.concurrent.duration._
import scala.util.{Failure, Success, Try}

/** One upload, from the first byte of its body to the answer. It owns the files until they are
  * whole: however it ends, nothing unfinished stays.
  */
object Upload {
  final case class Stored(id: String, name: String, size: Long)
  type Answer = Either[Problem, Seq[Stored]]

  final case class Limits(maxFileBytes: Long, maxRequestBytes: Long)

  sealed trait Command
  private final case class Begin(sender: ActorRef[Ready.type]) extends Command
  private final case class Received(bytes: ByteString, sender: ActorRef[Ready.type]) extends Command
  private case object End extends Command
  private final case class Broken(cause: Throwable) extends Command
  private case object Paused extends Command

  /** For the next bytes. */
  private case object Ready

  private val MaxFiles = 2

  /** Read past after a mistake, so that a client that is still sending sees the answer. Akka HTTP
    * closes the connection if there is more.
    */
  private val MaxUnread = 16L * 1024 * 1024
  private val Pause = 500.millis

  /** What there is of an upload; `writing` while the part is a file, which is the last draft. */
  private final case class Progress(
      multipart: MultipartReader,
      drafts: Vector[Draft] = Vector.empty,
      writing: Boolean = false,
      bytes: Long = 0
  )

  // #region upload.stream-to-disk
  /** Asks for the next bytes when those before are on the disk. */
  def apply(
      storage: Storage,
      limits: Limits,
      multipart: MultipartReader,
      body: Source[ByteString, Any],
      replyTo: ActorRef[Answer]
  ): Behavior[Command] =
    Behaviors.setup { context =>
      val sink = ActorSink.actorRefWithBackpressure[ByteString, Command, Ready.type](
        context.self,
        (sender, bytes) => Received(bytes, sender),
        Begin(_),
        Ready,
        End,
        Broken(_)
      )
      body.runWith(sink)(Materializer.matFromSystem(context.system.classicSystem))
      new Upload(storage, limits, context, replyTo).receiving(Progress(multipart))
    }
}

private final class Upload(
    storage: Storage,
    limits: Upload.Limits,
    context: ActorContext[Upload.Command],
    replyTo: ActorRef[Upload.Answer]
) {
  import Upload._

  private def receiving(progress: Progress): Behavior[Command] =
    Behaviors
      .receiveMessage[Command] {
        case Begin(sender) =>
          sender ! Ready
          Behaviors.same
        case Received(bytes, sender) =>
          val room = math.min(limits.maxRequestBytes - progress.bytes, bytes.length.toLong).toInt
          val (events, multipart) = progress.multipart.feed(bytes.take(room))
          val now = progress.copy(multipart = multipart, bytes = progress.bytes + room)
          val result = write(events.toList, now)
          sender ! Ready
          result match {
            case Right(progress) if room < bytes.length =>
              progress.drafts.foreach(_.discard())
              refuse(Problem.BodyTooLarge)
            case Right(progress) => receiving(progress)
            case Left(problem)   => refuse(problem)
          }
        case End =>
          replyTo ! finish(progress)
          Behaviors.stopped
        case Broken(_) =>
          replyTo ! Left(Problem.Malformed)
          Behaviors.stopped
        case Paused => Behaviors.same
      }
      .receiveSignal { case (_, PostStop) =>
        progress.drafts.foreach(_.discard())
        Behaviors.same
      }

  /** Does what the events say until one of them is a mistake. */
  @tailrec
  private def write(
      events: List[MultipartReader.Event],
      progress: Progress
  ): Either[Problem, Progress] =
    events match {
      case Nil             => Right(progress)
      case event :: others =>
        Try(write(event, progress)) match {
          case Success(Right(progress)) => write(others, progress)
          case Success(Left(problem))   => discard(progress, problem)
          case Failure(cause)           => discard(progress, problemWith(cause))
        }
    }

  private def write(event: MultipartReader.Event, progress: Progress): Either[Problem, Progress] =
    event match {
      case MultipartReader.Part(_, None)               => Right(progress.copy(writing = false))
      case MultipartReader.Part(field, Some(fileName)) =>
        if (field != "files") Left(Problem.UnexpectedFile)
        else if (progress.drafts.size == MaxFiles) Left(Problem.TooManyFiles)
        else {
          val draft = storage.begin(lastSegment(fileName))
          Right(progress.copy(drafts = progress.drafts :+ draft, writing = true))
        }
      case MultipartReader.Data(bytes) if progress.writing =>
        val draft = progress.drafts.last
        if (draft.size + bytes.length > limits.maxFileBytes) Left(Problem.BodyTooLarge)
        else {
          draft.write(bytes)
          Right(progress)
        }
      case MultipartReader.PartEnd if progress.writing =>
        progress.drafts.last.close()
        Right(progress.copy(writing = false))
      case MultipartReader.Data(_) | MultipartReader.PartEnd => Right(progress)
      case MultipartReader.Malformed                         => Left(Problem.Malformed)
    }
  // #endregion upload.stream-to-disk

  private def discard(progress: Progress, problem: Problem): Left[Problem, Nothing] = {
    progress.drafts.foreach(_.discard())
    Left(problem)
  }

  /** The files get their names when the last byte of the body has come. */
  private def finish(progress: Progress): Answer =
    if (!progress.multipart.ended) Left(Problem.Malformed)
    else if (progress.drafts.isEmpty) Left(Problem.NoFile)
    else
      Try(progress.drafts.foreach(_.publish())) match {
        case Success(_) =>
          Right(progress.drafts.map(draft => Stored(draft.id, draft.name, draft.size)))
        case Failure(cause) =>
          progress.drafts.foreach(_.withdraw())
          Left(problemWith(cause))
      }

  /** Reads on, for the sake of a client that only then reads. */
  private def refuse(problem: Problem): Behavior[Command] = {
    context.setReceiveTimeout(Pause, Paused)
    refused(problem, unread = 0)
  }

  private def refused(problem: Problem, unread: Long): Behavior[Command] =
    Behaviors.receiveMessage {
      case Received(bytes, sender) if unread < MaxUnread =>
        sender ! Ready
        refused(problem, unread + bytes.length)
      case End | Broken(_) =>
        replyTo ! Left(problem)
        Behaviors.stopped
      case _ =>
        context.cancelReceiveTimeout()
        replyTo ! Left(problem)
        answered
    }

  /** Akka HTTP closes the connection after an answer that comes before the end of the body. */
  private def answered: Behavior[Command] =
    Behaviors.receiveMessage {
      case End | Broken(_) => Behaviors.stopped
      case _               => Behaviors.same
    }

  private def problemWith(cause: Throwable): Problem = cause match {
    case full: IOException if isFull(full) => Problem.NoSpace
    case unforeseen                        =>
      context.log.error(unforeseen.toString)
      Problem.Unforeseen
  }

  /** ENOSPC and EDQUOT; Java has nothing but their messages. */
  private def isFull(failure: IOException): Boolean =
    Seq("No space left on device", "Disk quota exceeded").exists(
      String.valueOf(failure.getMessage).contains
    )

  private def lastSegment(fileName: String): String =
    fileName.drop(math.max(fileName.lastIndexOf('/'), fileName.lastIndexOf('\\')) + 1)
}
