package org.samewire.labs

import org.apache.pekko.actor.typed.{ActorRef, Behavior}
import org.apache.pekko.actor.typed.scaladsl.Behaviors

/** One counter for all writers. Only this actor has the value, and it handles one message after the other. */
object Counter {
  sealed trait Message
  final case class Add(replyTo: ActorRef[Long]) extends Message
  final case class Tell(replyTo: ActorRef[Long]) extends Message

  // #region actor
  def apply(value: Long): Behavior[Message] = Behaviors.receiveMessage {
    case Add(replyTo) =>
      val next = Work.next(value)
      replyTo ! next
      Counter(next)
    case Tell(replyTo) =>
      replyTo ! value
      Behaviors.same
  }
  // #endregion actor
}

/** What an update computes: some arithmetic, whose length is the lab's knob. */
object Work {
  private val rounds = sys.env.getOrElse("WORK", "0").toInt

  /** The value that follows, after so many rounds of Marsaglia's xorshift. */
  def next(value: Long): Long = {
    var x = value.toInt | 1
    var round = 0
    while (round < rounds) {
      x ^= x << 13
      x ^= x >>> 17
      x ^= x << 5
      round += 1
    }
    // It never comes to 0. The compiler cannot know that, so it leaves no round out.
    if (x == 0) value else value + 1
  }
}
