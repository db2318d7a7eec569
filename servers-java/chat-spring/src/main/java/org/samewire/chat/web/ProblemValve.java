package org.samewire.chat.web;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.IOException;
import org.apache.catalina.connector.Request;
import org.apache.catalina.connector.Response;
import org.apache.catalina.valves.ErrorReportValve;

/**
 * What Tomcat answers by itself: statuses without a page. Only its 404 is for paths that clients
 * may ask for, since to a servlet container {@code /WEB-INF} is hidden.
 */
public final class ProblemValve extends ErrorReportValve {

  private static final byte[] NOT_FOUND =
      """
      {"type":"about:blank","title":"Not Found","status":404,"detail":"No such resource."}\
      """
          .getBytes(US_ASCII);

  @Override
  protected void report(Request request, Response response, Throwable throwable) {
    if (response.getStatus() != 404
        || response.getContentWritten() > 0
        || !response.setErrorReported()) {
      return;
    }
    try {
      response.setContentType("application/problem+json");
      response.setContentLength(NOT_FOUND.length);
      response.getOutputStream().write(NOT_FOUND);
      response.finishResponse();
    } catch (IOException e) {
      // The client has left.
    }
  }
}
