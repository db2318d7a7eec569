package org.samewire.chat;

import io.netty.channel.Channel;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.util.concurrent.GlobalEventExecutor;
import java.time.Duration;

/** The open client connections, and whether the server is stopping. */
final class Connections {
  /** Tells a connection's handlers that it should end as soon as its requests are answered. */
  enum Event {
    STOPPING
  }

  private final ChannelGroup channels = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE);
  private volatile boolean stopping;

  void add(Channel channel) {
    channels.add(channel);
  }

  boolean stopping() {
    return stopping;
  }

  /** Lets requests in flight finish; what is unfinished at the limit is cut. */
  void stop(Duration limit) throws InterruptedException {
    long end = System.nanoTime() + limit.toNanos();
    stopping = true;
    channels.forEach(channel -> channel.pipeline().fireUserEventTriggered(Event.STOPPING));
    while (!channels.isEmpty() && System.nanoTime() < end) {
      Thread.sleep(20);
    }
    channels.close().awaitUninterruptibly();
  }
}
