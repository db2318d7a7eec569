package org.samewire.chat.library;

import com.corundumstudio.socketio.protocol.AuthPacket;
import com.corundumstudio.socketio.protocol.ConnPacket;
import com.corundumstudio.socketio.protocol.JacksonJsonSupport;
import io.netty.buffer.ByteBufInputStream;
import io.netty.buffer.ByteBufOutputStream;
import java.io.IOException;
import java.util.Map;
import java.util.UUID;

/**
 * The library's JSON. It leaves {@code maxPayload} out of the handshake, tells the id of the
 * session, a secret, as the id of the socket, and refuses a namespace with a string where clients
 * expect an object. Arguments that no listener takes it reads as the next packets. No issue tells
 * of these.
 */
public final class SafeJson extends JacksonJsonSupport {
  public static final int MAX_PAYLOAD = 64 * 1024;

  private record Open(
      UUID sid, String[] upgrades, int pingInterval, int pingTimeout, int maxPayload) {}

  @Override
  public <T> T readValue(String namespace, ByteBufInputStream in, Class<T> type)
      throws IOException {
    T value = super.readValue(namespace, in, type);
    in.skipNBytes(in.available());
    return value;
  }

  @Override
  public void writeValue(ByteBufOutputStream out, Object value) throws IOException {
    super.writeValue(out, corrected(value));
  }

  private static Object corrected(Object value) {
    if (value instanceof AuthPacket open) {
      return new Open(
          open.getSid(),
          open.getUpgrades(),
          open.getPingInterval(),
          open.getPingTimeout(),
          MAX_PAYLOAD);
    }
    if (value instanceof ConnPacket) {
      return Map.of("sid", UUID.randomUUID());
    }
    return value instanceof String message ? Map.of("message", message) : value;
  }
}
