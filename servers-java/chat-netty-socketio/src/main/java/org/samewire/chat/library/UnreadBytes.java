package org.samewire.chat.library;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandler.Sharable;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.util.ReferenceCountUtil;

/**
 * The first handler of all connections. Counts the bytes that clients do not read: a connection
 * that would make them too many is closed. All connections are on one event loop.
 */
@Sharable
final class UnreadBytes extends ChannelOutboundHandlerAdapter {
  private static final long MAX_BYTES = 64 * 1024 * 1024;

  private long unread;

  @Override
  public void write(ChannelHandlerContext ctx, Object message, ChannelPromise promise) {
    int bytes = message instanceof ByteBuf content ? content.readableBytes() : 0;
    if (unread + bytes > MAX_BYTES) {
      ReferenceCountUtil.release(message);
      promise.cancel(false);
      ctx.close();
      return;
    }
    unread += bytes;
    ctx.write(message, promise.unvoid().addListener(written -> unread -= bytes));
  }
}
