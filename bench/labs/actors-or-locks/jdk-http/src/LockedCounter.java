/** One thread at a time: the others wait for the lock. */
final class LockedCounter implements Counter {
  private long value;

  // #region lock
  @Override
  public synchronized long add() {
    long seen = value;
    long next = Work.next(seen);
    value = next;
    return next;
  }

  // #endregion lock

  @Override
  public synchronized long value() {
    return value;
  }
}
