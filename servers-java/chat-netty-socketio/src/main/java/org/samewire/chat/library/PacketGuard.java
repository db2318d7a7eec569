package org.samewire.chat.library;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.corundumstudio.socketio.Transport;
import com.corundumstudio.socketio.handler.ClientHead;
import com.corundumstudio.socketio.messages.PacketsMessage;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandler.Sharable;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

/**
 * Gives the library one packet at a time: it loses memory with each payload of several
 * (netty-socketio#1002). Ends a session that sends too many events, an event before it is
 * connected, or what is no packet of this service: the library takes any letter for a digit, and
 * has no limit of events and attachments. An upgrade by a poll fails in it.
 */
@Sharable
final class PacketGuard extends SimpleChannelInboundHandler<PacketsMessage> {
  private static final byte SEPARATOR = 0x1e;
  private static final int MAX_EVENTS = 50; // with CONNECTs and probes: all that is answered
  private static final long WINDOW_NANOS = TimeUnit.SECONDS.toNanos(1);

  /**
   * Close, probe, pong and upgrade; CONNECT, DISCONNECT, EVENT and ACK. The library keeps the data
   * of CONNECT with the session.
   */
  private static final Pattern PACKET =
      Pattern.compile(
          "1|2probe|3|5|4[01](/[^,]{0,99},)?(\\{.{0,499})?|42(/[^,]{0,99},)?\\d{0,9}\\[.*|43\\d{1,9}\\[.*",
          Pattern.DOTALL);

  /** Of a session. */
  private static final class State {
    private final Queue<Long> events = new ArrayDeque<>();
    private boolean connected;

    private boolean mayHaveOneMore() {
      long now = System.nanoTime();
      while (!events.isEmpty() && now - events.element() > WINDOW_NANOS) {
        events.remove();
      }
      return events.size() < MAX_EVENTS && events.add(now);
    }
  }

  private final SlowPolls slowPolls;

  PacketGuard(SlowPolls slowPolls) {
    this.slowPolls = slowPolls;
  }

  @Override
  protected void channelRead0(ChannelHandlerContext ctx, PacketsMessage message) {
    ClientHead client = message.getClient();
    ByteBuf content = message.getContent();
    boolean more = !SlowPolls.isFull(client);
    if (!more) {
      client.disconnect();
    }
    while (more && client.isConnected()) {
      int length = content.bytesBefore(SEPARATOR);
      more = length >= 0;
      ByteBuf packet = content.readSlice(more ? length : content.readableBytes());
      content.skipBytes(more ? 1 : 0);
      if (!isGood(client, packet.toString(UTF_8), message.getTransport())) {
        client.disconnect();
        return;
      }
      ctx.fireChannelRead(new PacketsMessage(client, packet, message.getTransport()));
      slowPolls.sent(1);
    }
  }

  private static boolean isGood(ClientHead client, String packet, Transport transport) {
    State state = client.getStore().get("packets");
    if (state == null) {
      state = new State();
      client.getStore().set("packets", state);
    }
    if (packet.startsWith("40") && !packet.startsWith("40/") || packet.startsWith("41")) {
      state.connected = packet.startsWith("40");
    } else if (packet.equals("1") && transport == Transport.POLLING) {
      SessionRequests.endPoll(client);
    }
    boolean upgrades = packet.equals("2probe") || packet.equals("5");
    return PACKET.matcher(packet).matches()
        && (!upgrades || transport == Transport.WEBSOCKET)
        && (!upgrades && !packet.startsWith("40") || state.mayHaveOneMore())
        && (!packet.startsWith("42") || state.connected && state.mayHaveOneMore());
  }
}
