package org.samewire.todo;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Type;
import java.time.Duration;
import org.springframework.core.MethodParameter;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpInputMessage;
import org.springframework.http.HttpStatus;
import org.springframework.http.converter.HttpMessageConverter;
import org.springframework.web.bind.annotation.RestControllerAdvice;
import org.springframework.web.server.ResponseStatusException;
import org.springframework.web.servlet.mvc.method.annotation.RequestBodyAdviceAdapter;

/**
 * Bodies are read whole before they are parsed. Spring has a setting neither for the size nor for
 * the time.
 */
@RestControllerAdvice
class BodyLimits extends RequestBodyAdviceAdapter {
  private static final int MAX_BYTES = 65_536;
  private static final long MAX_NANOS = Duration.ofSeconds(30).toNanos();

  @Override
  public boolean supports(
      MethodParameter parameter, Type type, Class<? extends HttpMessageConverter<?>> converter) {
    return true;
  }

  @Override
  public HttpInputMessage beforeBodyRead(
      HttpInputMessage request,
      MethodParameter parameter,
      Type type,
      Class<? extends HttpMessageConverter<?>> converter)
      throws IOException {
    InputStream stream = request.getBody();
    var body = new ByteArrayOutputStream();
    var part = new byte[8192];
    long start = System.nanoTime();
    for (int length; (length = stream.read(part)) >= 0; ) {
      body.write(part, 0, length);
      if (body.size() > MAX_BYTES) {
        throw new ResponseStatusException(
            HttpStatus.CONTENT_TOO_LARGE, "The body has more than " + MAX_BYTES + " bytes.");
      }
      // A client may send a byte now and then, each within Tomcat's time-out.
      if (System.nanoTime() - start > MAX_NANOS) {
        throw new ResponseStatusException(HttpStatus.REQUEST_TIMEOUT, "The body came too slowly.");
      }
    }
    return new Whole(new ByteArrayInputStream(body.toByteArray()), request.getHeaders());
  }

  private record Whole(InputStream getBody, HttpHeaders getHeaders) implements HttpInputMessage {}
}
