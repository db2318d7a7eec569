package org.samewire.upload;

import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.NoSuchFileException;
import java.util.regex.Pattern;

/** {@code GET} and {@code DELETE /uploads/{id}}. */
final class FileServlet extends HttpServlet {
  private static final long serialVersionUID = 1;
  private static final Pattern PATH =
      Pattern.compile("/[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}");

  private final transient Storage storage;

  FileServlet(Storage storage) {
    this.storage = storage;
  }

  @Override
  protected void service(HttpServletRequest request, HttpServletResponse response)
      throws ServletException, IOException {
    if (PATH.matcher(request.getPathInfo()).matches()) {
      super.service(request, response);
    } else {
      notFound(response);
    }
  }

  // #region upload.send-file
  @Override
  protected void doGet(HttpServletRequest request, HttpServletResponse response)
      throws IOException {
    // Once it is open, the file goes out to its end, even if it is deleted.
    try (FileChannel file = storage.open(id(request))) {
      response.setContentType("application/octet-stream");
      response.setContentLengthLong(file.size());
      response.setHeader("Content-Disposition", "attachment");
      response.setHeader("X-Content-Type-Options", "nosniff");
      if (!request.getMethod().equals("HEAD")) {
        Channels.newInputStream(file).transferTo(response.getOutputStream());
      }
    } catch (NoSuchFileException e) {
      notFound(response);
    }
  }

  // #endregion upload.send-file

  @Override
  protected void doDelete(HttpServletRequest request, HttpServletResponse response)
      throws IOException {
    if (storage.delete(id(request))) {
      response.setStatus(HttpServletResponse.SC_NO_CONTENT);
    } else {
      notFound(response);
    }
  }

  private static String id(HttpServletRequest request) {
    return request.getPathInfo().substring(1);
  }

  private static void notFound(HttpServletResponse response) throws IOException {
    response.sendError(HttpServletResponse.SC_NOT_FOUND, "There is no such file.");
  }
}
