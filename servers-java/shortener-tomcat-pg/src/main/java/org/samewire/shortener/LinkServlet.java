package org.samewire.shortener;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;

/** {@code GET /links/{hash}}. */
final class LinkServlet extends ShortenerServlet {
  private static final long serialVersionUID = 1;

  LinkServlet(Links links) {
    super(links);
  }

  @Override
  protected void doGet(HttpServletRequest request, HttpServletResponse response)
      throws IOException {
    String hash = request.getPathInfo().substring(1);
    String url = links.find(hash);
    if (url == null) {
      response.sendError(HttpServletResponse.SC_NOT_FOUND, "There is no such link.");
    } else {
      write(response, new Link(hash, url));
    }
  }
}
