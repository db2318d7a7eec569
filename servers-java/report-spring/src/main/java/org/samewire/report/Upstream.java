package org.samewire.report;

import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.util.Objects;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.client.ClientHttpResponse;
import org.springframework.web.client.RestClient;
import org.springframework.web.server.ResponseStatusException;

/** A server that gives one thing. What it says is not trusted. */
class Upstream<T> {
  private static final Logger LOG = LoggerFactory.getLogger(Upstream.class);

  private final RestClient client;
  private final URI uri;
  private final MediaType type;
  private final int maxBytes;
  private final Function<byte[], T> reader;
  private final AtomicBoolean well = new AtomicBoolean(true);

  Upstream(RestClient client, URI uri, MediaType type, int maxBytes, Function<byte[], T> reader) {
    this.client = client;
    this.uri = uri;
    this.type = type;
    this.maxBytes = maxBytes;
    this.reader = reader;
  }

  /** That it fails is logged once, and once that it is well again. */
  T get() {
    try {
      byte[] body = client.get().uri(uri).exchange((request, response) -> body(response));
      T answer = Objects.requireNonNull(reader.apply(body));
      if (!well.getAndSet(true)) {
        LOG.info("{} is well again", uri);
      }
      return answer;
    } catch (RuntimeException e) {
      Throwable cause = NestedExceptionUtils.getMostSpecificCause(e);
      if (!isInterruption(cause) && well.getAndSet(false)) {
        String reason = "%.300s".formatted(cause).replaceAll("[\\s\\p{Cntrl}]+", " ");
        LOG.warn("{} is away, late or bad: {}", uri, reason);
      }
      // The second is for a connection that is not made in time.
      throw cause instanceof TimeoutException || cause instanceof SocketTimeoutException
          ? new ResponseStatusException(HttpStatus.GATEWAY_TIMEOUT, "An upstream is late.")
          : new ResponseStatusException(HttpStatus.BAD_GATEWAY, "An upstream is away or bad.");
    }
  }

  /** The report needs no answer any more: that says nothing about the upstream. */
  private static boolean isInterruption(Throwable cause) {
    // The exceptions of time-outs are subclasses.
    return cause instanceof InterruptedException
        || cause.getClass() == InterruptedIOException.class;
  }

  /** Closes the stream in any case: the client would read an answer to its end that is refused. */
  private byte[] body(ClientHttpResponse response) throws IOException {
    try (InputStream content = response.getBody()) {
      HttpHeaders headers = response.getHeaders();
      if (response.getStatusCode() != HttpStatus.OK
          || !type.equalsTypeAndSubtype(headers.getContentType())
          || headers.containsHeader(HttpHeaders.CONTENT_ENCODING)) {
        throw new IOException(response.getStatusCode() + " with " + headers);
      }
      byte[] body = content.readNBytes(maxBytes + 1);
      if (body.length > maxBytes) {
        throw new IOException("more than " + maxBytes + " bytes");
      }
      return body;
    }
  }
}
