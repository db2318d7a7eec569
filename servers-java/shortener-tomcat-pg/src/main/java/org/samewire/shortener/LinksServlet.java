package org.samewire.shortener;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;

/** {@code POST /links}. */
final class LinksServlet extends ShortenerServlet {
  private static final long serialVersionUID = 1;
  private static final int MAX_BYTES = 8_192;

  LinksServlet(Links links) {
    super(links);
  }

  // #region shortener.create
  @Override
  protected void doPost(HttpServletRequest request, HttpServletResponse response)
      throws IOException {
    String type = String.valueOf(request.getContentType()).replaceFirst(";.*", "").strip();
    if (!type.equalsIgnoreCase("application/json")) {
      response.sendError(415, "Content-Type must be application/json.");
      return;
    }
    // Tomcat limits a body only if it is a form.
    byte[] body = request.getInputStream().readNBytes(MAX_BYTES + 1);
    if (body.length > MAX_BYTES) {
      response.sendError(413, "The body has more than " + MAX_BYTES + " bytes.");
      return;
    }
    NewLink asked = NewLink.from(body);
    if (asked == null) {
      response.sendError(
          400,
          "Body must be {\"url\": an absolute http or https URL of at most 2,048 characters}.");
      return;
    }
    Link link;
    do {
      link = Link.to(asked.url());
    } while (!links.add(link));
    response.setStatus(HttpServletResponse.SC_CREATED);
    response.setHeader("Location", "/" + link.hash());
    write(response, link);
  }
  // #endregion shortener.create
}
