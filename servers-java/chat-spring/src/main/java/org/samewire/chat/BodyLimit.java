package org.samewire.chat;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Type;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.springframework.core.MethodParameter;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpInputMessage;
import org.springframework.http.HttpStatus;
import org.springframework.http.converter.HttpMessageConverter;
import org.springframework.web.bind.annotation.RestControllerAdvice;
import org.springframework.web.server.ResponseStatusException;
import org.springframework.web.servlet.mvc.method.annotation.RequestBodyAdviceAdapter;

/**
 * Neither Spring nor Tomcat can limit a body that is no form. Jackson can, but its limit is a 400.
 */
@RestControllerAdvice
class BodyLimit extends RequestBodyAdviceAdapter {
  private static final int MAX_BYTES = 65_536;

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
    byte[] body = request.getBody().readNBytes(MAX_BYTES + 1);
    if (body.length > MAX_BYTES) {
      throw new ResponseStatusException(
          HttpStatus.CONTENT_TOO_LARGE, "The body has more than " + MAX_BYTES + " bytes.");
    }
    // Jackson reads bytes that are no UTF-8, too. An exception here is a 400.
    StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(body));
    return new Whole(new ByteArrayInputStream(body), request.getHeaders());
  }

  private record Whole(InputStream getBody, HttpHeaders getHeaders) implements HttpInputMessage {}
}
