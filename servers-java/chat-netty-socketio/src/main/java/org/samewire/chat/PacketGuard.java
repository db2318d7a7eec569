package org.samewire.chat;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import com.corundumstudio.socketio.Transport;
import com.corundumstudio.socketio.handler.ClientHead;
import com.corundumstudio.socketio.messages.PacketsMessage;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler.Sharable;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.util.Base64;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Looks at what a client sends before the library does, which reads packets with little care: it
 * takes a wrong letter for a number, an attachment for a string, and loses memory with each payload
 * of several packets. So it gets one packet at a time, in its simplest form. Who sends too many
 * events, or what is no packet, is sent away.
 */
@Sharable
final class PacketGuard extends SimpleChannelInboundHandler<PacketsMessage> {
  private static final byte SEPARATOR = 0x1e;
  private static final String STATE = "packets";

  private static final char CONNECT = '0';
  private static final char DISCONNECT = '1';
  private static final char EVENT = '2';
  private static final char ACK = '3';
  private static final char BINARY_EVENT = '5';
  private static final char BINARY_ACK = '6';

  /** What the official server takes for no event. */
  private static final Set<String> RESERVED =
      Set.of(
          "connect",
          "connect_error",
          "disconnect",
          "disconnecting",
          "newListener",
          "removeListener");

  /** Kind, attachments, namespace, acknowledgement, JSON. */
  private static final Pattern MESSAGE =
      Pattern.compile(
          "4([0-6])(?:([0-9]{1,3})-)?(?:/,)?(/[^,]{1,100},?)?([0-9]{0,9})(\\[.*|\\{.*)?",
          Pattern.DOTALL);

  /** What is known of a session. */
  private static final class State {
    private static final int MAX_EVENTS = 50;
    private static final long WINDOW = TimeUnit.SECONDS.toNanos(1);

    /** When the last events came, in a ring. */
    private final long[] times = new long[MAX_EVENTS];

    private long events;

    /** How many attachments of an event are still to come. */
    private int attachments;

    private boolean connected;

    boolean mayHaveOneMore() {
      long now = System.nanoTime();
      int next = (int) (events % MAX_EVENTS);
      if (events >= MAX_EVENTS && now - times[next] <= WINDOW) {
        return false;
      }
      times[next] = now;
      events++;
      return true;
    }
  }

  @Override
  protected void channelRead0(ChannelHandlerContext ctx, PacketsMessage message) {
    ClientHead client = message.getClient();
    ByteBuf content = message.getContent();
    boolean polling = message.getTransport() == Transport.POLLING;
    if (!polling && client.getCurrentTransport() == Transport.POLLING) {
      takeFromProbe(ctx, client, content);
      return;
    }
    int length;
    do {
      length = polling ? content.bytesBefore(SEPARATOR) : -1;
      ByteBuf packet = content.readSlice(length < 0 ? content.readableBytes() : length);
      if (length >= 0) {
        content.skipBytes(1);
      }
      if (!client.isConnected()) {
        return;
      }
      if (!take(ctx, client, packet, message.getTransport())) {
        Sockets.end(client);
        if (!polling) {
          ctx.close();
        }
        return;
      }
    } while (length >= 0);
  }

  /** A WebSocket that the session may go over to. What does not belong there ends it alone. */
  private static void takeFromProbe(ChannelHandlerContext ctx, ClientHead client, ByteBuf packet) {
    String text = packet.toString(UTF_8);
    if (text.equals("2probe")) {
      SocketGate.answerProbe(client, ctx.channel());
    } else if (text.equals("5") && SocketGate.isProbed(client, ctx.channel())) {
      pass(ctx, client, packet, Transport.WEBSOCKET);
    } else {
      ctx.close();
    }
  }

  /** Whether it was a packet, and not one too many. */
  private static boolean take(
      ChannelHandlerContext ctx, ClientHead client, ByteBuf packet, Transport transport) {
    State state = state(client);
    String text;
    try {
      if (isAttachment(ctx.channel(), packet, transport)) {
        return state.attachments-- > 0;
      }
      text = UTF_8.newDecoder().decode(packet.nioBuffer()).toString();
    } catch (CharacterCodingException | IllegalArgumentException e) {
      return false;
    }
    if (state.attachments > 0) {
      return false;
    }
    if (text.equals("1")) {
      if (transport == Transport.POLLING) {
        SocketGate.letPollGo(client);
      }
      pass(ctx, client, packet, transport);
      if (transport == Transport.WEBSOCKET) {
        ctx.close();
      }
      return true;
    }
    if (text.equals("3")) {
      pass(ctx, client, packet, transport);
      return true;
    }
    Matcher message = MESSAGE.matcher(text);
    try {
      return message.matches() && take(ctx, client, message, transport, state);
    } catch (IOException e) {
      return false;
    }
  }

  /** Throws IllegalArgumentException for an attachment that is not in base64. */
  private static boolean isAttachment(Channel channel, ByteBuf packet, Transport transport) {
    if (transport == Transport.WEBSOCKET) {
      return Boolean.TRUE.equals(channel.attr(SocketGuard.BYTES).get());
    }
    if (!packet.isReadable() || packet.getByte(packet.readerIndex()) != 'b') {
      return false;
    }
    Base64.getDecoder().decode(packet.toString(US_ASCII).substring(1));
    return true;
  }

  private static boolean take(
      ChannelHandlerContext ctx,
      ClientHead client,
      Matcher message,
      Transport transport,
      State state)
      throws IOException {
    char kind = message.group(1).charAt(0);
    int attachments = message.group(2) == null ? 0 : Integer.parseInt(message.group(2));
    String namespace = message.group(3) == null ? "" : message.group(3);
    String acknowledgement = message.group(4);
    String json = message.group(5) == null ? "" : message.group(5);
    boolean binary = kind == BINARY_EVENT || kind == BINARY_ACK;
    if (binary != (message.group(2) != null)) {
      return false;
    }
    switch (kind) {
      case CONNECT, DISCONNECT -> {
        if (namespace.isEmpty()) {
          state.connected = kind == CONNECT;
        }
        pass(ctx, client, packet("4" + kind + namespace), transport);
        return true;
      }
      case EVENT, BINARY_EVENT -> {
        if (!state.connected || !namespace.isEmpty() || !json.startsWith("[")) {
          return false;
        }
        String name = ChatJson.nameIn(json);
        if (name == null
            || RESERVED.contains(name)
            || binary && !ChatJson.hasPlacesFor(attachments, json)
            || !state.mayHaveOneMore()) {
          return false;
        }
        // Attachments are of no use: what stands for them in the JSON is no string, either.
        state.attachments = attachments;
        pass(ctx, client, packet("42" + acknowledgement + json), transport);
        return true;
      }
      case ACK, BINARY_ACK -> {
        // Nobody has been asked for an acknowledgement.
        if (acknowledgement.isEmpty() || !json.startsWith("[")) {
          return false;
        }
        ChatJson.nameIn(json);
        state.attachments = attachments;
        return true;
      }
      default -> {
        return false;
      }
    }
  }

  private static ByteBuf packet(String text) {
    return Unpooled.wrappedBuffer(text.getBytes(UTF_8));
  }

  private static void pass(
      ChannelHandlerContext ctx, ClientHead client, ByteBuf packet, Transport transport) {
    ctx.fireChannelRead(new PacketsMessage(client, packet, transport));
  }

  private static State state(ClientHead client) {
    State state = client.getStore().get(STATE);
    if (state == null) {
      state = new State();
      client.getStore().set(STATE, state);
    }
    return state;
  }
}
