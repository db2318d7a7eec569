package org.samewire.randoms.web;

import java.io.IOException;
import org.apache.catalina.connector.Request;
import org.apache.catalina.connector.Response;
import org.apache.catalina.valves.ErrorReportValve;

/**
 * What Tomcat answers by itself: statuses without a page. Only its 404 is for paths that clients
 * may ask for, since to a servlet container {@code /WEB-INF} is hidden.
 */
public final class ProblemValve extends ErrorReportValve {

  @Override
  protected void report(Request request, Response response, Throwable throwable) {
    byte[] body = Problem.NO_SUCH_RESOURCE.body();
    if (response.getStatus() != 404
        || response.getContentWritten() > 0
        || !response.setErrorReported()) {
      return;
    }
    try {
      response.setContentType("application/problem+json");
      response.setContentLength(body.length);
      response.getOutputStream().write(body);
      response.finishResponse();
    } catch (IOException e) {
      // The client has left.
    }
  }
}
