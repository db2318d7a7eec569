package org.samewire.upload;

import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.InputStream;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.NoSuchFileException;

/** {@code /uploads/{id}}. Called by many threads at once. */
final class FileServlet extends HttpServlet {
  private static final long serialVersionUID = 1;

  private final transient FileStore store;

  FileServlet(FileStore store) {
    this.store = store;
  }

  @Override
  protected void service(HttpServletRequest request, HttpServletResponse response)
      throws ServletException, IOException {
    String path = request.getPathInfo();
    if (path.length() < 2 || path.indexOf('/', 1) >= 0) {
      throw new ProblemException(Problem.NO_SUCH_RESOURCE);
    }
    switch (request.getMethod()) {
      case "GET", "HEAD" -> doGet(request, response);
      case "DELETE" -> doDelete(request, response);
      default -> throw ProblemException.notAllowed("GET, HEAD, DELETE");
    }
  }

  // #region upload.send-file
  @Override
  protected void doGet(HttpServletRequest request, HttpServletResponse response)
      throws IOException {
    // Once it is open, the file may be deleted: it is sent to its end.
    try (FileChannel file = store.open(id(request));
        InputStream content = Channels.newInputStream(file)) {
      response.setContentType("application/octet-stream");
      response.setContentLengthLong(file.size());
      response.setHeader("Content-Disposition", "attachment");
      response.setHeader("X-Content-Type-Options", "nosniff");
      if (!request.getMethod().equals("HEAD")) {
        content.transferTo(response.getOutputStream());
      }
    } catch (NoSuchFileException e) {
      throw new ProblemException(Problem.NO_SUCH_UPLOAD);
    }
  }

  // #endregion upload.send-file

  @Override
  protected void doDelete(HttpServletRequest request, HttpServletResponse response)
      throws IOException {
    if (!store.delete(id(request))) {
      throw new ProblemException(Problem.NO_SUCH_UPLOAD);
    }
    response.setStatus(HttpServletResponse.SC_NO_CONTENT);
  }

  private static String id(HttpServletRequest request) {
    String id = request.getPathInfo().substring(1);
    if (!FileStore.isId(id)) {
      throw new ProblemException(Problem.NO_SUCH_UPLOAD);
    }
    return id;
  }
}
