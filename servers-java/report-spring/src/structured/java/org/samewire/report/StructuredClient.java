package org.samewire.report;

import java.io.IOException;
import org.eclipse.jetty.client.HttpClient;
import org.eclipse.jetty.client.Request;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Primary;
import org.springframework.http.HttpRequest;
import org.springframework.http.client.ClientHttpRequestExecution;
import org.springframework.http.client.ClientHttpResponse;
import org.springframework.web.client.RestClient;

/** Spring leaves the exchange of an interrupted thread to its time-out. Here it ends at once. */
@Configuration(proxyBeanMethods = false)
class StructuredClient {
  private final ThreadLocal<Request> current = new ThreadLocal<>();

  @Bean
  @Primary
  RestClient cancellableClient(@Qualifier("restClient") RestClient client, HttpClient httpClient) {
    // Jetty calls it in the thread that asks.
    httpClient.getRequestListeners().addQueuedListener(current::set);
    return client.mutate().requestInterceptor(this::abortIfInterrupted).build();
  }

  private ClientHttpResponse abortIfInterrupted(
      HttpRequest request, byte[] body, ClientHttpRequestExecution execution) throws IOException {
    try {
      return execution.execute(request, body);
    } catch (IOException e) {
      Request exchange = current.get();
      if (exchange != null && Thread.currentThread().isInterrupted()) {
        exchange.abort(e);
      }
      throw e;
    } finally {
      current.remove();
    }
  }
}
