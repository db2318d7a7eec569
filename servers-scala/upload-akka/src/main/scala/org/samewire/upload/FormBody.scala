package org.samewire.upload

import akka.http.scaladsl.model.{HttpEntity, RequestEntity}
import akka.http.scaladsl.server.{Directive, Directive1}
import akka.stream.FlowShape
import akka.stream.scaladsl.{Broadcast, Flow, GraphDSL, Sink}
import akka.util.ByteString
import akka.{Done, NotUsed}
import scala.concurrent.duration._
import scala.concurrent.{Future, Promise}

/** Guards answers, memory and time. The reader of a form stops at its closing delimiter, or at a
  * mistake, and Akka HTTP would close the connection: a client that still sends would lose the
  * answer. Of a form that does not begin with its boundary the reader would keep all bytes that
  * come before one.
  */
object FormBody {

  /** Akka HTTP's idle-timeout ends a body that pauses, and none that comes byte by byte. */
  private val MaxTime = 15.minutes

  /** A tiny chunk costs far more than its bytes. */
  private val ManyChunks = 1000
  private val SmallChunk = 16

  /** Provides the end of the body: a store that reads the form waits for it. */
  val read: Directive1[Future[Done]] = Directive { inner => context =>
    val end = Promise[Done]()
    inner(Tuple1(end.future))(context.mapRequest(_.mapEntity(guarded(_, end))))
  }

  private def guarded(entity: RequestEntity, end: Promise[Done]): RequestEntity = {
    val begin = beginOf(entity)
    val bytes = Flow[ByteString]
      .completionTimeout(MaxTime)
      .via(largeEnough)
      .via(toThe(end))
      .via(beginningWith(begin))
    entity match {
      // Its length is kept: without it the entity would be chunked, and HTTP/1.0 forbids that.
      case sized: HttpEntity.Default   => sized.copy(data = sized.data.via(bytes))
      case chunked: HttpEntity.Chunked => chunked.transformDataBytes(bytes)
      case whole: HttpEntity.Strict    =>
        check(whole.data.startsWith(begin))
        end.success(Done)
        whole
    }
  }

  /** Of what is no form, none: the route refuses it. */
  private def beginOf(entity: RequestEntity): ByteString =
    entity.contentType.mediaType match {
      case form if form.subType == "form-data" =>
        ByteString(s"--${form.params.getOrElse("boundary", "")}\r\n")
      case _ => ByteString.empty
    }

  private def beginningWith(begin: ByteString): Flow[ByteString, ByteString, NotUsed] =
    Flow[ByteString].statefulMap(() => ByteString.empty)(
      (before, bytes) => {
        val known = (before ++ bytes).take(begin.length)
        check(begin.startsWith(known))
        (known, bytes)
      },
      _ => None
    )

  private val largeEnough: Flow[ByteString, ByteString, NotUsed] =
    Flow[ByteString].statefulMap(() => (0, 0L))(
      { case ((chunks, size), bytes) =>
        val sum @ (number, length) = (chunks + 1, size + bytes.length)
        if (number > ManyChunks && length / number < SmallChunk)
          throw InvalidForm("The chunks of the form are too small.")
        (sum, bytes)
      },
      _ => None
    )

  private def check(begins: Boolean): Unit =
    if (!begins) throw InvalidForm("A form begins with its boundary.")

  private def toThe(end: Promise[Done]): Flow[ByteString, ByteString, NotUsed] =
    Flow.fromGraph(GraphDSL.create() { implicit builder =>
      import GraphDSL.Implicits._
      val bytes = builder.add(Broadcast[ByteString](2, eagerCancel = false))
      bytes ~> Sink.ignore.mapMaterializedValue(end.completeWith(_))
      FlowShape(bytes.in, bytes.out(1))
    })
}
