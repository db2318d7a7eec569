package org.samewire.randoms.draws;

/** Where each result is written, a line each. */
interface ResultLog {
  void add(Result result);
}
