package org.samewire.chat.library;

import com.corundumstudio.socketio.SocketIOClient;
import com.corundumstudio.socketio.listener.DefaultExceptionListener;
import io.netty.channel.ChannelException;
import io.netty.channel.ChannelHandler.Sharable;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.CodecException;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.util.List;

/**
 * The last handler. A client that vanishes, or sends what the library cannot read, ends its
 * connection, and leaves no line. The library would log it, or do nothing.
 */
@Sharable
public final class Failures extends ChannelInboundHandlerAdapter {
  private static final System.Logger LOG = System.getLogger(Failures.class.getName());

  Failures() {}

  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    boolean isClients =
        cause instanceof IOException
            || cause instanceof ChannelException
            || cause instanceof CodecException;
    LOG.log(isClients ? Level.DEBUG : Level.ERROR, "A connection ends", cause);
    ctx.close();
  }

  /** Logs what fails in our code for events. */
  public static final class OfEvents extends DefaultExceptionListener {
    @Override
    public void onEventException(Exception e, List<Object> arguments, SocketIOClient client) {
      LOG.log(Level.ERROR, "An event fails", e);
    }

    @Override
    public void onDisconnectException(Exception e, SocketIOClient client) {
      LOG.log(Level.ERROR, "The end of a session fails", e);
    }

    @Override
    public boolean exceptionCaught(ChannelHandlerContext ctx, Throwable e) {
      return false;
    }
  }
}
