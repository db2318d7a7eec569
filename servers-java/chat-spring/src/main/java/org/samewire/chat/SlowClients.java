package org.samewire.chat;

import jakarta.servlet.ServletRequest;
import java.io.IOException;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.apache.catalina.connector.CoyoteAdapter;
import org.apache.coyote.Processor;
import org.apache.coyote.http11.Http11NioProtocol;
import org.apache.coyote.http11.Http11Processor;
import org.apache.tomcat.util.net.NioChannel;
import org.apache.tomcat.util.net.SocketWrapperBase;
import org.springframework.boot.tomcat.servlet.TomcatServletWebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.stereotype.Component;

/**
 * Tomcat's time-outs begin anew with each byte: a client that sends or takes one now and then would
 * keep a thread for hours. Here a request that is not whole after 40 seconds gets no more bytes, an
 * answer ends after 60, and a stream when its client is too slow for it.
 */
public class SlowClients extends Http11NioProtocol {
  /** The attribute of a request that tells, as a BooleanSupplier, whether its stream is to end. */
  static final String TOO_SLOW = SlowClients.class.getName() + ".TOO_SLOW";

  private static final long MAX_REQUEST_NANOS = Duration.ofSeconds(40).toNanos();
  private static final long MAX_ANSWER_NANOS = Duration.ofSeconds(60).toNanos();

  private final Set<TimedProcessor> processors =
      Collections.synchronizedSet(Collections.newSetFromMap(new WeakHashMap<>()));

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

  /** A stop pauses Tomcat. It would answer 400 to a request of which it has the first line only. */
  @Override
  public boolean isPaused() {
    return false;
  }

  private class TimedProcessor extends Http11Processor {
    TimedProcessor() {
      super(SlowClients.this, SlowClients.this.getAdapter());
    }

    private void endIfSlow() {
      SocketWrapperBase<?> socket = getSocketWrapper();
      if (socket != null && socket.getSocket() instanceof NioChannel channel && channel.isOpen()) {
        try {
          if (isAsync()) {
            if (socket.hasDataToWrite() && isTooSlow()) {
              channel.getIOChannel().shutdownOutput();
            }
          } else if (isPast(response.getCommitTimeNanos(), MAX_ANSWER_NANOS)) {
            socket.close();
          } else if (isPast(request.getStartTimeNanos(), MAX_REQUEST_NANOS)) {
            channel.getIOChannel().shutdownInput();
          }
        } catch (IOException e) {
          // It has ended by itself.
        }
      }
    }

    private boolean isTooSlow() {
      var ofServlet = (ServletRequest) request.getNote(CoyoteAdapter.ADAPTER_NOTES);
      return ofServlet != null
          && ofServlet.getAttribute(TOO_SLOW) instanceof BooleanSupplier isTooSlow
          && isTooSlow.getAsBoolean();
    }

    private static boolean isPast(long start, long nanos) {
      return start != -1 && System.nanoTime() - start > nanos;
    }
  }

  @Component
  static class Customizer implements WebServerFactoryCustomizer<TomcatServletWebServerFactory> {
    @Override
    public void customize(TomcatServletWebServerFactory tomcat) {
      tomcat.setProtocol(SlowClients.class.getName());
    }
  }
}
