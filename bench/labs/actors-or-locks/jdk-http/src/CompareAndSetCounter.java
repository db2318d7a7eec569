import java.util.concurrent.atomic.AtomicLong;

/** Nobody waits, but work may be done in vain. */
final class CompareAndSetCounter implements Counter {
  private final AtomicLong value = new AtomicLong();

  // #region compare-and-set
  @Override
  public long add() {
    // It writes only if the value is still the one that it has read.
    // Else it does the work again.
    return value.updateAndGet(Work::next);
  }

  // #endregion compare-and-set

  @Override
  public long value() {
    return value.get();
  }
}
