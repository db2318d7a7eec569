package org.samewire.shortener;

import java.io.IOException;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.coyote.Processor;
import org.apache.coyote.http11.Http11NioProtocol;
import org.apache.coyote.http11.Http11Processor;
import org.apache.tomcat.util.net.AbstractEndpoint.Handler.SocketState;
import org.apache.tomcat.util.net.NioChannel;
import org.apache.tomcat.util.net.SocketEvent;
import org.apache.tomcat.util.net.SocketWrapperBase;

/**
 * Tomcat's time-outs begin anew with each byte: a client that sends or takes one now and then would
 * keep a thread for hours. Here a request that is not whole after 40 seconds gets no more bytes,
 * and an answer ends after 60.
 */
final class SlowClients extends Http11NioProtocol {
  private static final long MAX_REQUEST_NANOS = Duration.ofSeconds(40).toNanos();
  private static final long MAX_ANSWER_NANOS = Duration.ofSeconds(60).toNanos();

  private final Set<TimedProcessor> processors =
      Collections.synchronizedSet(Collections.newSetFromMap(new WeakHashMap<>()));
  private final AtomicInteger underWay = new AtomicInteger();

  @Override
  protected Processor createProcessor() {
    var processor = new TimedProcessor();
    processors.add(processor);
    return processor;
  }

  @Override
  public void start() throws Exception {
    super.start();
    Runnable look = () -> List.copyOf(processors).forEach(TimedProcessor::endIfSlow);
    getUtilityExecutor().scheduleWithFixedDelay(look, 1, 1, TimeUnit.SECONDS);
  }

  /** Whether a thread serves a client. Tomcat does not count its virtual threads. */
  boolean areServed() {
    return underWay.get() > 0;
  }

  private final class TimedProcessor extends Http11Processor {
    TimedProcessor() {
      super(SlowClients.this, SlowClients.this.getAdapter());
    }

    @Override
    public SocketState process(SocketWrapperBase<?> socket, SocketEvent event) throws IOException {
      underWay.incrementAndGet();
      try {
        return super.process(socket, event);
      } finally {
        underWay.decrementAndGet();
      }
    }

    private void endIfSlow() {
      SocketWrapperBase<?> socket = getSocketWrapper();
      if (socket != null && socket.getSocket() instanceof NioChannel channel && channel.isOpen()) {
        if (isPast(response.getCommitTimeNanos(), MAX_ANSWER_NANOS)) {
          socket.close();
        } else if (isPast(request.getStartTimeNanos(), MAX_REQUEST_NANOS)) {
          try {
            channel.getIOChannel().shutdownInput();
          } catch (IOException e) {
            // It has ended by itself.
          }
        }
      }
    }

    private static boolean isPast(long start, long nanos) {
      return start != -1 && System.nanoTime() - start > nanos;
    }
  }
}
