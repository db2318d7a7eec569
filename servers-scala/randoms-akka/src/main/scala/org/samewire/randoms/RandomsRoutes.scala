package org.samewire.randoms

import akka.actor.typed.scaladsl.AskPattern._
import akka.actor.typed.{ActorRef, ActorSystem}
import akka.http.scaladsl.model._
import akka.http.scaladsl.model.headers.Date
import akka.http.scaladsl.server.Directives._
import akka.http.scaladsl.server._
import akka.util.{ByteString, Timeout}
import java.util.concurrent.ThreadLocalRandom
import scala.concurrent.duration._

/** The routes. */
final class RandomsRoutes(
    draws: ActorRef[Draws.Command],
    compressFrom: Option[Long],
    log: ResultLog
)(implicit system: ActorSystem[_]) {
  import RandomsRoutes._

  /** A last resort: waiting requests are limited by their number. */
  private implicit val timeout: Timeout = 290.seconds

  private implicit val rejections: RejectionHandler = RejectionHandler
    .newBuilder()
    .handleAll[MethodRejection] { rejected =>
      val allowed = rejected.map(_.supported)
      refuse(
        Problem.methodNotAllowed(
          if (allowed.contains(HttpMethods.GET)) allowed :+ HttpMethods.HEAD else allowed
        )
      )
    }
    .handle { case rejection =>
      system.log.error("not handled: {}", rejection)
      refuse(Problem.Unforeseen)
    }
    .handleNotFound(refuse(Problem.NoSuchResource))
    .result()

  private implicit val exceptions: ExceptionHandler = ExceptionHandler {
    case _: IllegalUriException => complete(HttpResponse(StatusCodes.BadRequest))
    case unforeseen             =>
      system.log.error(unforeseen.toString)
      refuse(Problem.Unforeseen)
  }

  // Sealed once: what a directive encloses is evaluated for every request.
  private val routes: Route = Route.seal(
    IgnoredBody() {
      concat(
        path("healthz")(get(complete(Healthy))),
        path("info")(get(complete(json(Info.json)))),
        path("randoms")(get(withParameters(drawElsewhere))),
        path("randoms" / "sync")(get(withParameters(drawHere)))
      )
    }
  )

  private val compressed: Route = compressFrom.fold(routes)(Compression(_)(routes))

  // Akka HTTP's own Date is up to a second old, and older under load.
  val route: Route = mapResponse(_.addHeader(Date(DateTime.now)))(compressed)

  // #region randoms.draw
  /** On the dispatcher of the actors that draw. */
  private def drawElsewhere(count: Int, seed: Int): Route =
    onSuccess(draws.ask(Draws.Draw(count, seed, _))) {
      case Draws.Drawn(result) => answer(result)
      case Draws.Busy          => refuse(Problem.Busy)
    }

  /** On the dispatcher that serves: the thread serves nobody else meanwhile. */
  private def drawHere(count: Int, seed: Int): Route = answer(Result.json(count, seed))
  // #endregion randoms.draw

  private def answer(result: String): Route = {
    log.write(result)
    complete(json(result))
  }

  private def withParameters(route: (Int, Int) => Route): Route = extractUri { uri =>
    val query = uri.query()
    val count = query.get("count").fold(Option(MaxCount))(natural).filter(_ <= MaxCount)
    val seed = query
      .get("seed")
      .fold(Option(randomSeed))(natural)
      .filter(seed => seed >= 1 && seed <= MaxSeed)
    (count, seed) match {
      case (None, _)                 => refuse(Problem.InvalidCount)
      case (_, None)                 => refuse(Problem.InvalidSeed)
      case (Some(count), Some(seed)) => route(count.toInt, seed.toInt)
    }
  }
}

object RandomsRoutes {
  private val MaxCount = 100000000L
  private val MaxSeed = 4294967295L

  private val Healthy = json("""{"status":"ok"}""")

  private def refuse(problem: Problem): Route = complete(problem.response)

  private def randomSeed: Long = ThreadLocalRandom.current.nextLong(1, MaxSeed + 1)

  /** A number in ASCII digits without sign, space or leading zero that is not far too large. */
  private def natural(digits: String): Option[Long] =
    Option.when(digits.matches("0|[1-9][0-9]{0,9}"))(digits.toLong)

  private def json(body: String): HttpEntity.Strict =
    HttpEntity(ContentTypes.`application/json`, ByteString(body))
}
