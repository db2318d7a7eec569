package org.samewire.upload;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.ObjectMapper;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.commons.fileupload2.core.FileItemInput;
import org.apache.commons.fileupload2.core.FileItemInputIterator;
import org.apache.commons.fileupload2.core.FileUploadException;
import org.apache.commons.fileupload2.core.FileUploadSizeException;
import org.apache.commons.fileupload2.core.ParameterParser;
import org.apache.commons.fileupload2.jakarta.servlet6.JakartaServletFileUpload;
import org.apache.commons.io.FilenameUtils;

/** {@code POST /uploads}. The thread of the request reads the body, and waits for each piece. */
class UploadServlet extends HttpServlet {
  private static final long serialVersionUID = 1;
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final int MAX_FILES = 2;
  private static final int MAX_PARTS = 100;

  private record Upload(String id, String name, long size) {}

  final transient Storage storage;
  final long maxRequestBytes;
  private final transient JakartaServletFileUpload<?, ?> forms = new JakartaServletFileUpload<>();

  UploadServlet(Storage storage, Settings settings) {
    this.storage = storage;
    maxRequestBytes = settings.maxRequestBytes();
    forms.setMaxFileSize(settings.maxFileBytes());
    forms.setMaxPartHeaderSize(8 * 1024);
    forms.setHeaderCharset(UTF_8);
  }

  @Override
  protected void doPost(HttpServletRequest request, HttpServletResponse response)
      throws IOException {
    if (!isForm(request)) {
      refuse(response, 415, "The body must be multipart/form-data.");
      return;
    }
    try (Storage.Form form = storage.newForm()) {
      List<Upload> files = receive(request, form);
      form.keep();
      response.setStatus(HttpServletResponse.SC_CREATED);
      response.setContentType("application/json");
      JSON.writeValue(response.getOutputStream(), Map.of("files", files));
    } catch (FileUploadSizeException e) {
      refuse(response, 413, e.getMessage());
    } catch (FileUploadException e) {
      refuse(response, 400, e.getMessage());
    } catch (IOException e) {
      if (!Storage.isFull(e)) {
        throw e;
      }
      refuse(response, 507, "There is no room for the files.");
    }
  }

  static boolean isForm(HttpServletRequest request) {
    String type = String.valueOf(request.getContentType()).replaceFirst(";.*", "").strip();
    return type.equalsIgnoreCase("multipart/form-data");
  }

  InputStream content(HttpServletRequest request) throws IOException {
    return request.getInputStream();
  }

  // #region upload.stream-to-disk
  /** Writes each file as it comes. */
  private List<Upload> receive(HttpServletRequest request, Storage.Form form) throws IOException {
    var body = new FormBody(request, content(request), maxRequestBytes);
    List<Upload> files = new ArrayList<>();
    try {
      FileItemInputIterator parts = forms.getItemIterator(body);
      for (int number = 1; parts.hasNext(); number++) {
        if (number > MAX_PARTS) {
          throw new FileUploadException("A form has at most " + MAX_PARTS + " parts.");
        }
        FileItemInput part = parts.next();
        String name = fileName(part);
        if (!part.getFieldName().equals("files[]") || name == null) {
          continue;
        }
        if (files.size() == MAX_FILES) {
          throw new FileUploadException("A form has at most " + MAX_FILES + " files.");
        }
        String id = form.newFile();
        files.add(new Upload(id, name, form.write(id, part.getInputStream())));
      }
    } catch (IllegalArgumentException | IllegalStateException e) {
      // So the library tells some malformed part headers.
      throw new FileUploadException("The form is malformed.", e);
    }
    body.finish();
    if (files.isEmpty()) {
      throw new FileUploadException("The form has no file in files[].");
    }
    return files;
  }

  // #endregion upload.stream-to-disk

  private static void refuse(HttpServletResponse response, int status, String detail)
      throws IOException {
    // If the body broke, Tomcat has done so by itself.
    if (!response.isCommitted()) {
      response.sendError(status, detail);
    }
  }

  /**
   * The last segment of the file name, or null if it is empty or missing. {@code
   * FileItemInput.getName} would trim it.
   */
  private static String fileName(FileItemInput part) {
    var parser = new ParameterParser();
    parser.setLowerCaseNames(true);
    String disposition = part.getHeaders().getHeader("Content-Disposition");
    String name = FilenameUtils.getName(parser.parse(disposition, ';').get("filename"));
    // So browsers write a quotation mark.
    return name == null ? null : name.replace("%22", "\"");
  }
}
