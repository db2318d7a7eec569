package org.samewire.todo

import akka.actor.typed.scaladsl.{ActorContext, Behaviors}
import akka.actor.typed.{ActorRef, Behavior, PostStop, Signal}
import akka.pattern.StatusReply
import scala.concurrent.duration._
import scala.concurrent.{ExecutionContext, Future}
import scala.util.control.NoStackTrace
import scala.util.{Failure, Success, Try}

/** The keeper of the table: passes questions on while the database is there. When it is gone, all
  * connections are given up, and questions are refused at once until it answers again.
  */
object Todos {
  sealed trait Command

  /** What is asked, and whom to answer. */
  sealed trait Question[A] extends Command {
    def replyTo: ActorRef[StatusReply[A]]
  }
  final case class ListAfter(after: Long, limit: Int, replyTo: ActorRef[StatusReply[Page]])
      extends Question[Page]
  final case class Find(id: Long, replyTo: ActorRef[StatusReply[Option[Todo]]])
      extends Question[Option[Todo]]
  final case class Add(title: String, completed: Boolean, replyTo: ActorRef[StatusReply[Todo]])
      extends Question[Todo]
  final case class Change(
      id: Long,
      title: Option[String],
      completed: Option[Boolean],
      replyTo: ActorRef[StatusReply[Option[Todo]]]
  ) extends Question[Option[Todo]]
  final case class Remove(id: Long, replyTo: ActorRef[StatusReply[Boolean]])
      extends Question[Boolean]
  final case class Ping(replyTo: ActorRef[StatusReply[Unit]]) extends Question[Unit]

  /** A question could not be put to the database. */
  private case object Lost extends Command
  private case object Check extends Command
  private final case class Checked(result: Try[Unit]) extends Command

  /** The answer to every question while the database is away. */
  case object Away extends Exception("database away") with NoStackTrace

  private val TimeBetweenChecks = 250.millis

  def apply(open: () => TodoTable): Behavior[Command] = answering(open(), open, checking = false)

  /** One question that failed may be bad luck; the database is away if it fails the check, too. */
  private def answering(
      table: TodoTable,
      open: () => TodoTable,
      checking: Boolean
  ): Behavior[Command] =
    Behaviors
      .receive[Command] {
        case (context, question: Question[_]) =>
          answer(question, table, context)
          Behaviors.same
        case (context, Lost | Check) =>
          if (!checking) check(table, context)
          answering(table, open, checking = true)
        case (_, Checked(Success(_))) =>
          answering(table, open, checking = false)
        case (context, Checked(Failure(cause))) =>
          context.log.warn("database away: {}", cause.toString)
          table.close()
          context.scheduleOnce(TimeBetweenChecks, context.self, Check)
          away(open(), open)
      }
      .receiveSignal(closed(table))

  private def away(table: TodoTable, open: () => TodoTable): Behavior[Command] =
    Behaviors
      .receive[Command] {
        case (_, question: Question[_]) =>
          question.replyTo ! StatusReply.error(Away)
          Behaviors.same
        case (_, Lost) =>
          Behaviors.same
        case (context, Check) =>
          check(table, context)
          Behaviors.same
        case (context, Checked(Failure(_))) =>
          context.scheduleOnce(TimeBetweenChecks, context.self, Check)
          Behaviors.same
        case (context, Checked(Success(_))) =>
          context.log.warn("database answers again")
          answering(table, open, checking = false)
      }
      .receiveSignal(closed(table))

  private def closed(
      table: TodoTable
  ): PartialFunction[(ActorContext[Command], Signal), Behavior[Command]] = { case (_, PostStop) =>
    table.close()
    Behaviors.same
  }

  private def check(table: TodoTable, context: ActorContext[Command]): Unit =
    context.pipeToSelf(table.ping())(Checked)

  private def answer[A](
      question: Question[A],
      table: TodoTable,
      context: ActorContext[Command]
  ): Unit = {
    val keeper = context.self
    // Not by way of this actor's mailbox: nothing but a loss concerns it.
    put(question, table).onComplete {
      case Success(found) => question.replyTo ! StatusReply.success(found)
      case Failure(cause) if TodoTable.isAway(cause) =>
        keeper ! Lost
        question.replyTo ! StatusReply.error(Away)
      case Failure(cause) => question.replyTo ! StatusReply.error(cause)
    }(ExecutionContext.parasitic)
  }

  private def put[A](question: Question[A], table: TodoTable): Future[A] = question match {
    case ListAfter(after, limit, _)      => table.list(after, limit)
    case Find(id, _)                     => table.find(id)
    case Add(title, completed, _)        => table.add(title, completed)
    case Change(id, title, completed, _) => table.change(id, title, completed)
    case Remove(id, _)                   => table.remove(id)
    case Ping(_)                         => table.ping()
  }
}
