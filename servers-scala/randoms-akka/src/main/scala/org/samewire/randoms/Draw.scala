package org.samewire.randoms

import java.util.concurrent.ThreadLocalRandom
import org.samewire.xorshift.Xorshift

/** What a client asks for. Akka HTTP answers a `require` that fails with 400. */
final case class Draw(count: Int, givenSeed: Option[Long]) {
  require(count >= 0 && count <= Draw.MaxCount, s"count must be from 0 to ${Draw.MaxCount}")
  require(givenSeed.forall(Draw.isSeed), s"seed must be from 1 to ${Draw.MaxSeed}")

  val seed: Long = givenSeed.getOrElse(ThreadLocalRandom.current.nextLong(1, Draw.MaxSeed + 1))
}

object Draw {
  val MaxCount = 100000000
  private val MaxSeed = 4294967295L

  private def isSeed(number: Long): Boolean = number >= 1 && number <= MaxSeed
}

/** How often each number was drawn. */
final case class Result(count: Int, counts: Map[String, Int])

object Result {
  def of(draw: Draw): Result = {
    // The seed's lower 32 bits are the unsigned number.
    val drawn = Xorshift.draw(draw.count, draw.seed.toInt)
    val counts =
      for ((times, index) <- drawn.iterator.zipWithIndex if times > 0)
        yield (index + 1).toString -> times
    Result(draw.count, counts.toMap)
  }
}
