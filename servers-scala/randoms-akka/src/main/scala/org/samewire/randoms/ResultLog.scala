package org.samewire.randoms

import org.slf4j.LoggerFactory

/** Where results are written, a line each. */
trait ResultLog {
  def write(result: String): Unit
}

object ResultLog {
  private lazy val queue = LoggerFactory.getLogger("results")

  // #region randoms.log
  val byName: Map[String, ResultLog] = Map(
    "none" -> (_ => ()),
    // Who logs waits until it is written, and for others who are writing.
    "sync" -> (result => println(result)),
    // Who logs puts it into a queue (logback.xml), from which another thread writes.
    "async" -> (result => queue.info(result))
  )
  // #endregion randoms.log
}
