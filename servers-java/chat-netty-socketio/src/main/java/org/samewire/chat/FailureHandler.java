package org.samewire.chat;

import io.netty.channel.ChannelHandler.Sharable;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.CodecException;
import io.netty.handler.codec.PrematureChannelClosureException;
import io.netty.handler.timeout.TimeoutException;
import java.io.IOException;
import java.lang.System.Logger.Level;

/** The last handler: a failure ends its connection, and is told unless it is the client's. */
@Sharable
final class FailureHandler extends ChannelInboundHandlerAdapter {
  private static final System.Logger LOG = System.getLogger("chat");

  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    boolean clients =
        cause instanceof IOException
            || cause instanceof PrematureChannelClosureException
            || cause instanceof CodecException
            || cause instanceof TimeoutException;
    if (!clients) {
      LOG.log(Level.ERROR, cause.toString());
    }
    ctx.close();
  }
}
