package org.samewire.chat.library;

import com.corundumstudio.socketio.Configuration;
import com.corundumstudio.socketio.protocol.Packet;
import com.corundumstudio.socketio.protocol.PacketEncoder;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.io.IOException;
import java.util.Queue;

/**
 * The answer to a poll. The library takes one packet more from the queue than it sends: it loses
 * one whenever more than 50 wait ({@code PacketEncoder.encodePackets}; no issue tells of it).
 */
final class PollEncoder extends PacketEncoder {
  private static final byte SEPARATOR = 0x1e;

  PollEncoder(Configuration configuration) {
    super(configuration, configuration.getJsonSupport());
  }

  @Override
  public void encodePackets(
      Queue<Packet> packets, ByteBuf buffer, ByteBufAllocator allocator, int limit)
      throws IOException {
    for (int i = 0; i < limit && !packets.isEmpty(); i++) {
      if (i > 0) {
        buffer.writeByte(SEPARATOR);
      }
      encodePacket(packets.remove(), buffer, allocator, false);
    }
  }
}
