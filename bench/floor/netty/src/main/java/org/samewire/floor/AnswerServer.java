package org.samewire.floor;

import static io.netty.handler.codec.http.HttpHeaderNames.CONTENT_LENGTH;
import static io.netty.handler.codec.http.HttpHeaderNames.CONTENT_TYPE;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.socket.SocketChannel;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.HttpObject;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.codec.http.HttpVersion;
import java.nio.charset.StandardCharsets;

/** A constant answer: what Netty's own example does. */
final class AnswerServer {
  private static final byte[] BODY = "{\"status\":\"ok\"}".getBytes(StandardCharsets.UTF_8);

  private static final class Answer extends SimpleChannelInboundHandler<HttpObject> {
    @Override
    protected void channelRead0(ChannelHandlerContext context, HttpObject message) {
      if (message instanceof HttpRequest) {
        var response =
            new DefaultFullHttpResponse(
                HttpVersion.HTTP_1_1, HttpResponseStatus.OK, Unpooled.wrappedBuffer(BODY));
        response
            .headers()
            .set(CONTENT_TYPE, "application/json")
            .setInt(CONTENT_LENGTH, BODY.length);
        context.write(response);
      }
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext context) {
      context.flush();
    }
  }

  public static void main(String[] args) throws InterruptedException {
    var loops =
        new MultiThreadIoEventLoopGroup(
            Runtime.getRuntime().availableProcessors(), EpollIoHandler.newFactory());
    new ServerBootstrap()
        .group(loops)
        .channel(EpollServerSocketChannel.class)
        .childOption(ChannelOption.TCP_NODELAY, true)
        .childHandler(
            new ChannelInitializer<SocketChannel>() {
              @Override
              protected void initChannel(SocketChannel channel) {
                channel.pipeline().addLast(new HttpServerCodec(), new Answer());
              }
            })
        .bind(System.getenv("HOST"), Integer.parseInt(System.getenv("PORT")))
        .sync();
  }
}
