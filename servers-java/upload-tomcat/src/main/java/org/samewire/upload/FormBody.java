package org.samewire.upload;

import jakarta.servlet.http.HttpServletRequest;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import org.apache.commons.fileupload2.core.FileUploadException;
import org.apache.commons.fileupload2.core.FileUploadSizeException;
import org.apache.commons.fileupload2.jakarta.servlet6.JakartaServletRequestContext;

/**
 * FileUpload takes a form that ends, or whose client vanishes, between two parts for a whole one:
 * {@code MultipartInput.skipPreamble} hides the exception. It also leaves what follows the form
 * unread and uncounted. So this body knows whether it has ended, and counts to its end.
 */
final class FormBody extends JakartaServletRequestContext {
  private final InputStream content;
  private final long maxBytes;
  private long bytes;
  private boolean ended;

  FormBody(HttpServletRequest request, InputStream content, long maxBytes)
      throws FileUploadException {
    super(request);
    this.content = content;
    this.maxBytes = maxBytes;
    limit(request.getContentLengthLong());
  }

  /** To be called after the form. */
  void finish() throws IOException {
    if (ended) {
      throw new FileUploadException("The body ends before the form does.");
    }
    getInputStream().transferTo(OutputStream.nullOutputStream());
  }

  @Override
  public InputStream getInputStream() throws IOException {
    return new FilterInputStream(content) {
      @Override
      public int read(byte[] buffer, int offset, int length) throws IOException {
        // It stays so if the next line throws.
        ended = true;
        int number = in.read(buffer, offset, length);
        ended = number < 0;
        bytes += Math.max(number, 0);
        limit(bytes);
        return number;
      }
    };
  }

  private void limit(long size) throws FileUploadException {
    if (size > maxBytes) {
      throw new FileUploadSizeException(
          "A request has at most %d bytes.".formatted(maxBytes), maxBytes, size);
    }
  }
}
