package org.samewire.randoms.web;

import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.Collections;
import java.util.zip.GZIPOutputStream;
import org.samewire.randoms.Settings;
import org.springframework.http.HttpHeaders;
import org.springframework.stereotype.Component;
import org.springframework.web.filter.OncePerRequestFilter;
import org.springframework.web.util.ContentCachingResponseWrapper;
import org.springframework.web.util.WebUtils;

/**
 * Compresses whole answers. Tomcat could, too, but it takes neither {@code *} in Accept-Encoding
 * nor a preference for {@code identity}.
 */
@Component
class CompressionFilter extends OncePerRequestFilter {
  private final boolean off;
  private final long minBytes;

  CompressionFilter(Settings settings) {
    off = !settings.compression();
    minBytes = settings.compressionMinBytes();
  }

  @Override
  protected boolean shouldNotFilter(HttpServletRequest request) {
    return off;
  }

  /** The answer of an asynchronous request is written in its second dispatch. */
  @Override
  protected boolean shouldNotFilterAsyncDispatch() {
    return false;
  }

  @Override
  protected void doFilterInternal(
      HttpServletRequest request, HttpServletResponse response, FilterChain chain)
      throws ServletException, IOException {
    if (!isAsyncDispatch(request)) {
      response = new ContentCachingResponseWrapper(response);
    }
    chain.doFilter(request, response);
    if (!isAsyncStarted(request)) {
      send(request, WebUtils.getNativeResponse(response, ContentCachingResponseWrapper.class));
    }
  }

  // #region randoms.compress
  private void send(HttpServletRequest request, ContentCachingResponseWrapper response)
      throws IOException {
    int size = response.getContentSize();
    if (size > 0 && size >= minBytes) {
      response.setHeader(HttpHeaders.VARY, HttpHeaders.ACCEPT_ENCODING);
      var accepted =
          AcceptEncoding.of(Collections.list(request.getHeaders(HttpHeaders.ACCEPT_ENCODING)));
      if (accepted.prefersGzip()) {
        byte[] coded = gzip(response.getContentAsByteArray());
        response.resetBuffer();
        response.setHeader(HttpHeaders.CONTENT_ENCODING, "gzip");
        response.getOutputStream().write(coded);
      }
    }
    response.copyBodyToResponse();
  }

  private static byte[] gzip(byte[] body) throws IOException {
    var coded = new ByteArrayOutputStream(body.length);
    try (var gzip = new GZIPOutputStream(coded)) {
      gzip.write(body);
    }
    return coded.toByteArray();
  }
  // #endregion randoms.compress
}
