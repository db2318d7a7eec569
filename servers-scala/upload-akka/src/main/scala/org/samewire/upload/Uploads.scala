package org.samewire.upload

import akka.actor.typed.scaladsl.Behaviors
import akka.actor.typed.{ActorRef, Behavior, DispatcherSelector}
import akka.stream.scaladsl.Source
import akka.util.ByteString

/** Starts an actor for each upload, on threads that may block. */
object Uploads {
  final case class Receive(
      multipart: MultipartReader,
      body: Source[ByteString, Any],
      replyTo: ActorRef[Upload.Answer]
  )

  def apply(storage: Storage, limits: Upload.Limits): Behavior[Receive] =
    Behaviors.receive { case (context, Receive(multipart, body, replyTo)) =>
      val upload = Upload(storage, limits, multipart, body, replyTo)
      context.spawnAnonymous(upload, DispatcherSelector.blocking())
      Behaviors.same
    }
}
