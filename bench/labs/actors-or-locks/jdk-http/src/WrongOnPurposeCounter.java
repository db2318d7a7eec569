/** Wrong on purpose: others may write between its read and its write, and what they wrote is lost. */
final class WrongOnPurposeCounter implements Counter {
  private long value;

  // #region no-lock
  @Override
  public long add() {
    long seen = value;
    long next = Work.next(seen);
    value = next;
    return next;
  }

  // #endregion no-lock

  @Override
  public long value() {
    return value;
  }
}
