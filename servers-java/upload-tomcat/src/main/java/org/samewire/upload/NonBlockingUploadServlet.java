package org.samewire.upload;

import jakarta.servlet.AsyncContext;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.ReadListener;
import jakarta.servlet.ServletInputStream;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import org.apache.commons.io.output.DeferredFileOutputStream;

/**
 * The same, but no thread waits for a body. Tomcat tells when a piece of it is there, and a thread
 * of its pool puts that away. FileUpload can only read a stream, and would wait in it: so the form
 * is read when its body is whole, by a second call of {@code doPost}.
 */
final class NonBlockingUploadServlet extends UploadServlet {
  private static final long serialVersionUID = 1;
  private static final String BODY = "body";
  private static final int PIECE_BYTES = 64 * 1024;

  NonBlockingUploadServlet(Storage storage, Settings settings) {
    super(storage, settings);
  }

  @Override
  protected void doPost(HttpServletRequest request, HttpServletResponse response)
      throws IOException {
    if (request.getDispatcherType() == DispatcherType.ASYNC) {
      var body = (Body) request.getAttribute(BODY);
      try (body) {
        super.doPost(request, response);
      }
    } else if (isForm(request) && request.getContentLengthLong() <= maxRequestBytes) {
      AsyncContext context = request.startAsync();
      // SlowClients limits the time.
      context.setTimeout(0);
      var body = new Body(request.getInputStream(), context, request.getServletPath());
      request.setAttribute(BODY, body);
      request.getInputStream().setReadListener(body);
    } else {
      // It is refused without its body.
      super.doPost(request, response);
    }
  }

  @Override
  InputStream content(HttpServletRequest request) throws IOException {
    return request.getAttribute(BODY) instanceof Body body
        ? body.content()
        : super.content(request);
  }

  /** A body that comes. Tomcat calls a listener with one thread at a time. */
  private final class Body implements ReadListener, Closeable {
    private final ServletInputStream input;
    private final AsyncContext context;
    private final String path;
    private final DeferredFileOutputStream stored = storage.newBody();
    private InputStream content;
    private IOException failure;
    private boolean ended;

    Body(ServletInputStream input, AsyncContext context, String path) {
      this.input = input;
      this.context = context;
      this.path = path;
    }

    @Override
    public void onDataAvailable() throws IOException {
      var piece = new byte[PIECE_BYTES];
      // When it is not ready, Tomcat calls again.
      while (!ended && input.isReady()) {
        put(piece, input.read(piece));
      }
    }

    private void put(byte[] piece, int length) {
      try {
        stored.write(piece, 0, Math.max(length, 0));
      } catch (IOException e) {
        failure = e;
      }
      if (failure != null || stored.getByteCount() > maxRequestBytes) {
        end();
      }
    }

    @Override
    public void onAllDataRead() {
      end();
    }

    private void end() {
      if (!ended) {
        ended = true;
        context.dispatch(path);
      }
    }

    /** The client has gone, is too slow, or breaks off: there is no second call. */
    @Override
    public void onError(Throwable cause) {
      try {
        close();
      } catch (IOException e) {
        cause.addSuppressed(e);
      }
    }

    InputStream content() throws IOException {
      if (failure != null) {
        throw failure;
      }
      stored.close();
      content = stored.toInputStream();
      return content;
    }

    @Override
    public void close() throws IOException {
      try (stored) {
        if (content != null) {
          content.close();
        }
      } finally {
        // It has a file if it was too large for memory.
        if (stored.getFile() != null) {
          Files.deleteIfExists(stored.getFile().toPath());
        }
      }
    }
  }
}
