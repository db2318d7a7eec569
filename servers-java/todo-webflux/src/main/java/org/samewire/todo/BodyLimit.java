package org.samewire.todo;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.reactivestreams.Publisher;
import org.springframework.core.ResolvableType;
import org.springframework.core.codec.DecodingException;
import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.core.io.buffer.DataBufferLimitException;
import org.springframework.core.io.buffer.DataBufferUtils;
import org.springframework.core.io.buffer.DefaultDataBufferFactory;
import org.springframework.http.codec.json.JacksonJsonDecoder;
import org.springframework.util.MimeType;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import tools.jackson.databind.json.JsonMapper;

/**
 * Spring keeps each piece of a body as it came, with the buffer that it was read into: a body that
 * comes byte by byte takes a thousand times its length. Here its bytes are copied as they come.
 */
class BodyLimit extends JacksonJsonDecoder {

  BodyLimit(JsonMapper json) {
    super(json);
  }

  @Override
  public Mono<Object> decodeToMono(
      Publisher<DataBuffer> input,
      ResolvableType type,
      MimeType mimeType,
      Map<String, Object> hints) {
    Mono<DataBuffer> body =
        Flux.from(input)
            // Asked for piece by piece: while eight wait here, the connection is not read.
            .limitRate(8)
            // The client has left. Else that is a 500 in the log.
            .onErrorMap(e -> new DecodingException("The body does not come to its end.", e))
            .map(BodyLimit::copy)
            .collect(ByteArrayOutputStream::new, this::add)
            .filter(bytes -> bytes.size() > 0)
            .map(BodyLimit::whole);
    return super.decodeToMono(body, type, mimeType, hints);
  }

  private static byte[] copy(DataBuffer piece) {
    byte[] bytes = new byte[piece.readableByteCount()];
    piece.read(bytes);
    DataBufferUtils.release(piece);
    return bytes;
  }

  private void add(ByteArrayOutputStream body, byte[] piece) {
    if (body.size() + piece.length > getMaxInMemorySize()) {
      throw new DataBufferLimitException(
          "The body has more than " + getMaxInMemorySize() + " bytes.");
    }
    body.writeBytes(piece);
  }

  private static DataBuffer whole(ByteArrayOutputStream bytes) {
    byte[] body = bytes.toByteArray();
    try {
      // Jackson reads bytes that are no UTF-8, too.
      StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(body));
    } catch (CharacterCodingException e) {
      throw new DecodingException("The body is no UTF-8.", e);
    }
    return DefaultDataBufferFactory.sharedInstance.wrap(body);
  }
}
