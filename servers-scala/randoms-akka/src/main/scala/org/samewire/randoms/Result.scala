package org.samewire.randoms

import org.samewire.xorshift.Xorshift

object Result {

  /** How often each number was drawn, as JSON; the bits of `seed` are those of the unsigned number.
    */
  def json(count: Int, seed: Int): String = {
    val counts = for {
      (times, at) <- Xorshift.draw(count, seed).iterator.zipWithIndex
      if times > 0
    } yield s""""${at + 1}":$times"""
    counts.mkString(s"""{"count":$count,"counts":{""", ",", "}}")
  }
}
