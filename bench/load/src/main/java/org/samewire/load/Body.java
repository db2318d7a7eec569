package org.samewire.load;

import com.fasterxml.jackson.annotation.JsonCreator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.CompositeByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.util.AsciiString;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Random;

/** The body of a request: in JSON a string, which is sent as JSON, or the sizes of files. */
sealed interface Body {

  AsciiString contentType();

  /** The whole body; whoever writes it releases it. */
  ByteBuf bytes();

  /** How many bytes its files have. */
  long fileBytes();

  @JsonCreator
  static Body json(String text) {
    return new Json(text);
  }

  @JsonCreator
  static Body files(List<Integer> sizes) {
    return new Files(sizes);
  }

  record Json(String text) implements Body {

    @Override
    public AsciiString contentType() {
      return HttpHeaderValues.APPLICATION_JSON;
    }

    @Override
    public ByteBuf bytes() {
      return Unpooled.copiedBuffer(text, StandardCharsets.UTF_8);
    }

    @Override
    public long fileBytes() {
      return 0;
    }
  }

  /**
   * Files of so many bytes as multipart/form-data (RFC 7578), each a part named {@code files[]}.
   *
   * <p>Nothing is copied: a body is made of slices of the same few buffers, over and over, so that
   * a thousand users who send at once need no more memory than one. Direct buffers, because the
   * transport copies a body as soon as a single part of it is on the heap.
   */
  record Files(List<Integer> sizes) implements Body {
    private static final String BOUNDARY = "----samewire-7d1f0c3a95e2";
    private static final AsciiString CONTENT_TYPE =
        AsciiString.cached("multipart/form-data; boundary=" + BOUNDARY);
    private static final ByteBuf NEXT_PART =
        shared(
            "\r\n--"
                + BOUNDARY
                + "\r\nContent-Disposition: form-data; name=\"files[]\"; filename=\"file.bin\""
                + "\r\nContent-Type: application/octet-stream\r\n\r\n");
    private static final ByteBuf FIRST_PART = NEXT_PART.slice(2, NEXT_PART.readableBytes() - 2);
    private static final ByteBuf END = shared("\r\n--" + BOUNDARY + "--\r\n");
    private static final ByteBuf CONTENT = shared(content(256 * 1024));
    private static final int LARGEST = 1 << 30;

    public Files {
      if (sizes.isEmpty() || sizes.stream().anyMatch(size -> size == null || size < 0)) {
        throw new IllegalArgumentException("files: at least one, and none of less than 0 bytes");
      }
      if (sizes.stream().mapToLong(Integer::longValue).sum() > LARGEST) {
        throw new IllegalArgumentException("files: more than a GiB in one request");
      }
    }

    @Override
    public AsciiString contentType() {
      return CONTENT_TYPE;
    }

    @Override
    public ByteBuf bytes() {
      // With fewer components than that the buffer would copy them into one.
      CompositeByteBuf body = Unpooled.compositeBuffer(Integer.MAX_VALUE);
      ByteBuf head = FIRST_PART;
      for (int size : sizes) {
        body.addComponent(true, head.duplicate());
        head = NEXT_PART;
        for (int left = size; left > 0; left -= CONTENT.readableBytes()) {
          body.addComponent(true, CONTENT.slice(0, Math.min(left, CONTENT.readableBytes())));
        }
      }
      return body.addComponent(true, END.duplicate());
    }

    @Override
    public long fileBytes() {
      return sizes.stream().mapToLong(Integer::longValue).sum();
    }

    /** Every value but the hyphen's, without which there is no boundary. */
    private static byte[] content(int length) {
      byte[] bytes = new byte[length];
      new Random(1).nextBytes(bytes);
      for (int i = 0; i < length; i++) {
        bytes[i] = bytes[i] == '-' ? (byte) '+' : bytes[i];
      }
      return bytes;
    }

    private static ByteBuf shared(String text) {
      return shared(text.getBytes(StandardCharsets.US_ASCII));
    }

    private static ByteBuf shared(byte[] bytes) {
      return Unpooled.unreleasableBuffer(Unpooled.directBuffer(bytes.length).writeBytes(bytes));
    }
  }
}
