/** A counter that many threads use at once. */
interface Counter {

  /** Adds one, and answers the new value. */
  long add();

  long value();
}
