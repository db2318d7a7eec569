package org.samewire.chat;

import com.corundumstudio.socketio.SocketIOClient;
import com.corundumstudio.socketio.listener.ExceptionListener;
import io.netty.channel.ChannelHandlerContext;
import java.lang.System.Logger.Level;
import java.util.List;

/** Failures of this server's listeners are told; those of a connection are FailureHandler's. */
final class Failures implements ExceptionListener {
  private static final System.Logger LOG = System.getLogger("chat");

  @Override
  public void onEventException(Exception e, List<Object> arguments, SocketIOClient client) {
    tell(e);
  }

  @Override
  public void onConnectException(Exception e, SocketIOClient client) {
    tell(e);
  }

  @Override
  public void onDisconnectException(Exception e, SocketIOClient client) {
    tell(e);
  }

  @Override
  @SuppressWarnings("deprecation")
  public void onPingException(Exception e, SocketIOClient client) {
    tell(e);
  }

  @Override
  public void onPongException(Exception e, SocketIOClient client) {
    tell(e);
  }

  @Override
  public void onAuthException(Throwable e, SocketIOClient client) {
    tell(e);
  }

  @Override
  public boolean exceptionCaught(ChannelHandlerContext ctx, Throwable e) {
    return false;
  }

  private static void tell(Throwable e) {
    LOG.log(Level.ERROR, e.toString());
  }
}
