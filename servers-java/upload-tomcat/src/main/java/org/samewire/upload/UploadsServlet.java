package org.samewire.upload;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.SequenceInputStream;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.UUID;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.apache.commons.fileupload2.core.FileUploadException;
import org.apache.commons.fileupload2.core.MultipartInput;
import org.apache.coyote.BadRequestException;

/** {@code POST /uploads}. Called by many threads at once; each reads its body, and waits for it. */
final class UploadsServlet extends HttpServlet {
  private static final long serialVersionUID = 1;

  private static final int MAX_FILES = 2;
  private static final int MAX_HEADER_BYTES = 16 * 1024;
  private static final int BUFFER_BYTES = 64 * 1024;
  private static final byte[] CRLF = {'\r', '\n'};

  /** RFC 2046, 5.1.1. */
  private static final Pattern BOUNDARY =
      Pattern.compile("[0-9A-Za-z'()+_,\\-./:=? ]{0,69}[0-9A-Za-z'()+_,\\-./:=?]");

  private record Upload(String id, String name, long size) {}

  private final transient FileStore store;
  private final long maxFileBytes;
  private final long maxRequestBytes;

  UploadsServlet(FileStore store, long maxFileBytes, long maxRequestBytes) {
    this.store = store;
    this.maxFileBytes = maxFileBytes;
    this.maxRequestBytes = maxRequestBytes;
  }

  @Override
  protected void service(HttpServletRequest request, HttpServletResponse response)
      throws ServletException, IOException {
    if (!request.getMethod().equals("POST")) {
      throw ProblemException.notAllowed("POST");
    }
    doPost(request, response);
  }

  @Override
  protected void doPost(HttpServletRequest request, HttpServletResponse response)
      throws IOException {
    String boundary = boundary(request);
    List<String> ids = new ArrayList<>();
    boolean done = false;
    try {
      List<Upload> uploads = receive(request.getInputStream(), boundary, ids);
      byte[] body = json(uploads).getBytes(UTF_8);
      response.setStatus(HttpServletResponse.SC_CREATED);
      response.setContentType("application/json");
      response.setContentLength(body.length);
      response.getOutputStream().write(body);
      done = true;
    } catch (IOException e) {
      if (FileStore.isFull(e)) {
        throw new ProblemException(Problem.NO_ROOM);
      }
      throw e;
    } finally {
      if (!done) {
        for (String id : ids) {
          store.discard(id);
        }
      }
    }
  }

  /** The boundary of the body, if the head is in order. */
  private String boundary(HttpServletRequest request) {
    FieldValue type = FieldValue.parse(String.valueOf(request.getContentType()));
    boolean coded =
        !Collections.list(request.getHeaders("Content-Encoding")).stream()
            .allMatch("identity"::equalsIgnoreCase);
    if (!type.type().equals("multipart/form-data") || coded) {
      throw new ProblemException(Problem.NOT_MULTIPART);
    }
    if (request.getContentLengthLong() > maxRequestBytes) {
      throw new ProblemException(Problem.TOO_LARGE);
    }
    String boundary = type.parameters().getOrDefault("boundary", "");
    if (!BOUNDARY.matcher(boundary).matches()) {
      throw new ProblemException(Problem.MALFORMED);
    }
    return boundary;
  }

  // #region upload.stream-to-disk
  /** Reads the body to its end and makes uploads of its files, whose ids are told at once. */
  private List<Upload> receive(InputStream input, String boundary, List<String> ids)
      throws IOException {
    var body = new LimitedInputStream(input, maxRequestBytes);
    List<Upload> uploads = new ArrayList<>();
    MultipartInput multipart =
        MultipartInput.builder()
            // With a line end before it, the first delimiter is like the others.
            .setInputStream(new SequenceInputStream(new ByteArrayInputStream(CRLF), body))
            .setBoundary(boundary.getBytes(ISO_8859_1))
            .setBufferSize(BUFFER_BYTES)
            .setMaxPartHeaderSize(MAX_HEADER_BYTES)
            .get();
    multipart.setHeaderCharset(ISO_8859_1);
    byte[] buffer = new byte[BUFFER_BYTES];
    try {
      multipart.discardBodyData();
      while (multipart.readBoundary()) {
        Part part = Part.of(multipart.readHeaders());
        if (!part.isFile()) {
          multipart.discardBodyData();
          continue;
        }
        if (!"files".equals(part.field())) {
          throw new ProblemException(Problem.UNEXPECTED_FIELD);
        }
        if (uploads.size() == MAX_FILES) {
          throw new ProblemException(Problem.TOO_MANY_FILES);
        }
        String id = UUID.randomUUID().toString();
        ids.add(id);
        uploads.add(new Upload(id, part.name(), write(multipart.newInputStream(), id, buffer)));
      }
      body.transferTo(OutputStream.nullOutputStream());
    } catch (FileUploadException e) {
      if (e.getCause() instanceof BadRequestException cause) {
        throw cause;
      }
      throw new ProblemException(Problem.MALFORMED);
    }
    if (uploads.isEmpty()) {
      throw new ProblemException(Problem.NO_FILE);
    }
    for (String id : ids) {
      store.keep(id);
    }
    return uploads;
  }

  /** Writes a part to a temporary file, buffer by buffer; returns its size. */
  private long write(InputStream content, String id, byte[] buffer) throws IOException {
    long size = 0;
    try (OutputStream file = store.create(id)) {
      for (int number = content.read(buffer); number >= 0; number = content.read(buffer)) {
        size += number;
        if (size > maxFileBytes) {
          throw new ProblemException(Problem.TOO_LARGE);
        }
        file.write(buffer, 0, number);
      }
    }
    return size;
  }

  // #endregion upload.stream-to-disk

  private static String json(List<Upload> uploads) {
    return uploads.stream()
        .map(
            upload ->
                "{\"id\":\"%s\",\"name\":%s,\"size\":%d}"
                    .formatted(upload.id(), quoted(upload.name()), upload.size()))
        .collect(Collectors.joining(",", "{\"files\":[", "]}"));
  }

  private static String quoted(String text) {
    var json = new StringBuilder("\"");
    for (char c : text.toCharArray()) {
      switch (c) {
        case '"', '\\' -> json.append('\\').append(c);
        case '\b' -> json.append("\\b");
        case '\f' -> json.append("\\f");
        case '\n' -> json.append("\\n");
        case '\r' -> json.append("\\r");
        case '\t' -> json.append("\\t");
        default -> json.append(c < ' ' ? "\\u%04x".formatted((int) c) : String.valueOf(c));
      }
    }
    return json.append('"').toString();
  }
}
