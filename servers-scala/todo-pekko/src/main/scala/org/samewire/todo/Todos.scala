package org.samewire.todo

import org.apache.pekko.Done
import org.apache.pekko.actor.typed.scaladsl.Behaviors
import org.apache.pekko.actor.typed.scaladsl.adapter._
import org.apache.pekko.actor.typed.{ActorRef, Behavior}
import org.apache.pekko.pattern.{CircuitBreaker, StatusReply}
import org.slf4j.LoggerFactory
import scala.concurrent.Future
import scala.concurrent.duration._
import scala.util.{Failure, Try}

/** The actor that knows the table. It passes each question on and never waits for an answer. */
object Todos {
  sealed trait Command
  final case class ListAfter(after: Long, limit: Int, replyTo: ActorRef[StatusReply[Page]])
      extends Command
  final case class Find(id: Long, replyTo: ActorRef[StatusReply[Option[Todo]]]) extends Command
  final case class Add(todo: NewTodo, replyTo: ActorRef[StatusReply[Todo]]) extends Command
  final case class Change(id: Long, changes: Changes, replyTo: ActorRef[StatusReply[Option[Todo]]])
      extends Command
  final case class Remove(id: Long, replyTo: ActorRef[StatusReply[Boolean]]) extends Command
  final case class Ping(replyTo: ActorRef[StatusReply[Done]]) extends Command

  private val log = LoggerFactory.getLogger("org.samewire.todo.Todos")

  def apply(table: TodoTable): Behavior[Command] = Behaviors.setup { context =>
    import context.executionContext

    @volatile var reason = ""
    def isAway(answer: Try[Any]): Boolean = answer match {
      case Failure(away: DatabaseAway) =>
        reason = away.getMessage
        true
      case _ => false
    }

    // While it is open, questions are refused at once, and one each second tries the database.
    val breaker = CircuitBreaker(
      context.system.scheduler.toClassic,
      maxFailures = 5,
      callTimeout = 12.seconds,
      resetTimeout = 1.second
    ).onOpen(log.warn("the database is away: {}", reason))
      .onClose(log.info("the database answers again"))

    def ask[A](replyTo: ActorRef[StatusReply[A]])(question: => Future[A]): Behavior[Command] = {
      breaker
        .withCircuitBreaker(question, isAway)
        .onComplete(answer => replyTo ! answer.fold(StatusReply.error(_), StatusReply.success))
      Behaviors.same
    }

    Behaviors.receiveMessage {
      case ListAfter(after, limit, replyTo) => ask(replyTo)(table.list(after, limit))
      case Find(id, replyTo)                => ask(replyTo)(table.find(id))
      case Add(todo, replyTo)               => ask(replyTo)(table.add(todo))
      case Change(id, changes, replyTo)     => ask(replyTo)(table.change(id, changes))
      case Remove(id, replyTo)              => ask(replyTo)(table.remove(id))
      case Ping(replyTo)                    => ask(replyTo)(table.ping())
    }
  }
}
