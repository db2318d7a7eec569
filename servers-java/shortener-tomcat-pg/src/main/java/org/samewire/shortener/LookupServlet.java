package org.samewire.shortener;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;

/** {@code GET /{hash}}, and each path that no other servlet has. */
final class LookupServlet extends ShortenerServlet {
  private static final long serialVersionUID = 1;

  LookupServlet(Links links) {
    super(links);
  }

  // #region shortener.lookup
  @Override
  protected void doGet(HttpServletRequest request, HttpServletResponse response)
      throws IOException {
    String url = links.find(request.getServletPath().substring(1));
    if (url == null) {
      response.setStatus(HttpServletResponse.SC_NOT_FOUND);
    } else {
      response.sendRedirect(url, HttpServletResponse.SC_MOVED_PERMANENTLY);
    }
  }
  // #endregion shortener.lookup
}
