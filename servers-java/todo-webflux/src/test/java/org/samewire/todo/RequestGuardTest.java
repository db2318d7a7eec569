package org.samewire.todo;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.http.DefaultFullHttpRequest;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.DefaultHttpRequest;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class RequestGuardTest {
  /** Stands where the socket is, and counts how often it is read. */
  private static final class Reads extends ChannelDuplexHandler {
    private int count;

    @Override
    public void read(ChannelHandlerContext ctx) {
      count++;
      ctx.read();
    }
  }

  private final Reads reads = new Reads();
  private final EmbeddedChannel channel = new EmbeddedChannel(reads, new RequestGuard());

  @Test
  void readsNothingWhileItAnswers() {
    channel.writeInbound(withHost(head(HttpMethod.GET)), LastHttpContent.EMPTY_LAST_CONTENT);
    int before = reads.count;
    channel.read();
    assertThat(reads.count).isEqualTo(before);
    channel.writeOutbound(answer(HttpResponseStatus.OK));
    channel.read();
    assertThat(reads.count).isEqualTo(before + 1);
  }

  @Test
  void readsTheRestOfARequest() {
    channel.writeInbound(withHost(head(HttpMethod.POST)));
    int before = reads.count;
    channel.read();
    channel.writeOutbound(answer(HttpResponseStatus.CONTINUE));
    channel.read();
    assertThat(reads.count).isEqualTo(before + 2);
  }

  @Test
  void endsARequestThatIsNeverWhole() {
    channel.writeInbound(withHost(head(HttpMethod.POST)));
    channel.writeOutbound(answer(HttpResponseStatus.UNSUPPORTED_MEDIA_TYPE));
    channel.advanceTimeBy(39, TimeUnit.SECONDS);
    channel.runScheduledPendingTasks();
    assertThat(channel.isOpen()).isTrue();
    channel.advanceTimeBy(2, TimeUnit.SECONDS);
    channel.runScheduledPendingTasks();
    assertThat(channel.isOpen()).isFalse();
  }

  @Test
  void keepsAConnectionWhoseRequestIsWhole() {
    channel.writeInbound(withHost(head(HttpMethod.POST)));
    channel.writeInbound(LastHttpContent.EMPTY_LAST_CONTENT);
    channel.advanceTimeBy(100, TimeUnit.SECONDS);
    channel.runScheduledPendingTasks();
    assertThat(channel.isOpen()).isTrue();
  }

  @Test
  void refusesARequestWithoutHost() {
    channel.writeInbound(head(HttpMethod.GET));
    HttpRequest request = channel.readInbound();
    assertThat(request.decoderResult().isFailure()).isTrue();
  }

  @Test
  void answersInItsOwnVersion() {
    var old = HttpVersion.HTTP_1_0;
    channel.writeInbound(new DefaultFullHttpRequest(old, HttpMethod.GET, "/"));
    assertThat(channel.<HttpRequest>readInbound().decoderResult().isSuccess()).isTrue();
    channel.writeOutbound(new DefaultFullHttpResponse(old, HttpResponseStatus.OK));
    HttpResponse response = channel.readOutbound();
    assertThat(response.protocolVersion()).isEqualTo(HttpVersion.HTTP_1_1);
    assertThat(response.headers().get(HttpHeaderNames.CONNECTION)).isEqualTo("close");
  }

  private static HttpRequest head(HttpMethod method) {
    return new DefaultHttpRequest(HttpVersion.HTTP_1_1, method, "/todos");
  }

  private static HttpRequest withHost(HttpRequest request) {
    request.headers().set(HttpHeaderNames.HOST, "a");
    return request;
  }

  private static HttpResponse answer(HttpResponseStatus status) {
    return new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, status);
  }
}
