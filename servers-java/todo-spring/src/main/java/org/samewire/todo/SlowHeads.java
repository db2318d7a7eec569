package org.samewire.todo;

import java.io.IOException;
import java.time.Duration;
import org.apache.coyote.Processor;
import org.apache.coyote.http11.Http11NioProtocol;
import org.apache.coyote.http11.Http11Processor;
import org.apache.tomcat.util.net.AbstractEndpoint.Handler.SocketState;
import org.apache.tomcat.util.net.SocketWrapperBase;
import org.springframework.boot.tomcat.servlet.TomcatServletWebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.stereotype.Component;

/** Tomcat's time-out begins anew with each byte of a head. Here its whole time is limited. */
public class SlowHeads extends Http11NioProtocol {
  private static final long MAX_NANOS = Duration.ofSeconds(30).toNanos();

  @Override
  protected Processor createProcessor() {
    return new Http11Processor(this, getAdapter()) {
      @Override
      public SocketState service(SocketWrapperBase<?> socket) throws IOException {
        SocketState state = super.service(socket);
        boolean slow = System.nanoTime() - request.getStartTimeNanos() > MAX_NANOS;
        // LONG: the end of the head has not come yet.
        return state == SocketState.LONG && slow ? SocketState.CLOSED : state;
      }
    };
  }

  @Component
  static class Customizer implements WebServerFactoryCustomizer<TomcatServletWebServerFactory> {
    @Override
    public void customize(TomcatServletWebServerFactory tomcat) {
      tomcat.setProtocol(SlowHeads.class.getName());
    }
  }
}
