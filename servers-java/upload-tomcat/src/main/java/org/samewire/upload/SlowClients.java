package org.samewire.upload;

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
 * keep a thread for ever. Here a request has 40 seconds, and so has an answer, and a second more
 * for each 32 KiB of its body. Then the request gets no more bytes, and the answer ends.
 */
final class SlowClients extends Http11NioProtocol {
  private static final long GRACE_NANOS = Duration.ofSeconds(40).toNanos();
  private static final long NANOS_PER_BYTE = Duration.ofSeconds(1).toNanos() / (32 * 1024);

  private final Set<TimedProcessor> processors =
      Collections.synchronizedSet(Collections.newSetFromMap(new WeakHashMap<>()));
  private final AtomicInteger threads = new AtomicInteger();

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

  /** Whether a request is under way. Tomcat does not count its virtual threads. */
  boolean areServed() {
    return threads.get() > 0 || List.copyOf(processors).stream().anyMatch(Processor::isAsync);
  }

  private final class TimedProcessor extends Http11Processor {
    TimedProcessor() {
      super(SlowClients.this, SlowClients.this.getAdapter());
    }

    @Override
    public SocketState process(SocketWrapperBase<?> socket, SocketEvent event) throws IOException {
      threads.incrementAndGet();
      try {
        return super.process(socket, event);
      } finally {
        threads.decrementAndGet();
      }
    }

    private void endIfSlow() {
      SocketWrapperBase<?> socket = getSocketWrapper();
      if (socket != null && socket.getSocket() instanceof NioChannel channel && channel.isOpen()) {
        if (isLate(response.getCommitTimeNanos(), response.getContentWritten())) {
          socket.close();
        } else if (isLate(request.getStartTimeNanos(), request.getBytesRead())) {
          try {
            channel.getIOChannel().shutdownInput();
          } catch (IOException e) {
            // It has ended by itself.
          }
        }
      }
    }

    private static boolean isLate(long start, long bytes) {
      return start != -1 && System.nanoTime() - start > GRACE_NANOS + bytes * NANOS_PER_BYTE;
    }
  }
}
