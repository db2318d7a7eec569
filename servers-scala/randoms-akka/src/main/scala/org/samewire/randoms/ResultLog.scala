package org.samewire.randoms

import org.slf4j.LoggerFactory

object ResultLog {
  private val results = LoggerFactory.getLogger("results")

  // #region randoms.log
  /** What writes a line, by the value of LOG. */
  val writers: Map[String, Result => Unit] = Map(
    "none" -> (_ => ()),
    // The thread that answers waits until the line is written.
    "sync" -> (result => println(json(result))),
    // It puts the line into a queue (logback.xml), from which another thread writes.
    "async" -> (result => results.info(json(result)))
  )
  // #endregion randoms.log

  private def json(result: Result): String = JsonFormats.resultFormat.write(result).compactPrint
}
