package org.samewire.report;

import org.eclipse.jetty.client.HttpClient;
import org.eclipse.jetty.client.transport.HttpClientTransportOverHTTP;
import org.eclipse.jetty.http.HttpCookieStore;
import org.eclipse.jetty.io.ByteBufferPool;
import org.eclipse.jetty.io.ClientConnector;
import org.eclipse.jetty.util.thread.QueuedThreadPool;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.context.properties.ConfigurationPropertiesScan;
import org.springframework.boot.jackson.autoconfigure.JsonMapperBuilderCustomizer;
import org.springframework.boot.webmvc.autoconfigure.error.ErrorMvcAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.http.HttpHeaders;
import org.springframework.http.client.JettyClientHttpRequestFactory;
import org.springframework.web.client.RestClient;
import tools.jackson.databind.cfg.CoercionAction;
import tools.jackson.databind.cfg.CoercionInputShape;

/** Without Boot's page for errors: a client that asks for {@code /error} would be given a 500. */
@SpringBootApplication(exclude = ErrorMvcAutoConfiguration.class)
@ConfigurationPropertiesScan
class ReportApplication {
  private static final int CONNECTIONS = 200;
  private static final int CLIENT_THREADS = 16;
  private static final int HEAD_BYTES = 16 * 1024;
  private static final int RECEIVE_BYTES = 256 * 1024;

  public static void main(String[] args) {
    SpringApplication.run(ReportApplication.class, args);
  }

  /** It does what it is told, and nothing of its own. Limits of bodies are in Upstream. */
  @Bean(initMethod = "start", destroyMethod = "stop")
  HttpClient httpClient(ReportProperties properties) {
    long timeout = properties.upstreamTimeout().toMillis();
    var connector = new ClientConnector();
    // Else Linux takes up to 32 MiB of an answer before anybody reads it.
    connector.setReceiveBufferSize(RECEIVE_BYTES);
    var client = new HttpClient(new HttpClientTransportOverHTTP(connector));
    client.setConnectTimeout(timeout);
    client.setAddressResolutionTimeout(timeout);
    client.setIdleTimeout(timeout);
    client.setMaxResponseHeadersSize(HEAD_BYTES);
    // Jetty 12.1.10 gives a pooled buffer to two exchanges after an answer with a bad chunk size.
    client.setByteBufferPool(new ByteBufferPool.NonPooling());
    client.setUseInputDirectByteBuffers(false);
    client.setFollowRedirects(false);
    client.setHttpCookieStore(new HttpCookieStore.Empty());
    client.setExecutor(new QueuedThreadPool(CLIENT_THREADS));
    client.setMaxConnectionsPerDestination(CONNECTIONS);
    return client;
  }

  @Bean
  RestClient restClient(HttpClient httpClient, ReportProperties properties) {
    var factory = new JettyClientHttpRequestFactory(httpClient);
    // For the whole exchange, from connecting to the last byte.
    factory.setReadTimeout(properties.upstreamTimeout());
    return RestClient.builder()
        .requestFactory(factory)
        // An upstream may close a connection that is kept at the moment of the next request.
        .defaultHeader(HttpHeaders.CONNECTION, "close")
        .defaultHeader(HttpHeaders.ACCEPT_ENCODING, "identity")
        .build();
  }

  /** Jackson takes {@code 5} for a title and {@code "true"} for a boolean if it is not told. */
  @Bean
  JsonMapperBuilderCustomizer strictTypes() {
    return json ->
        json.withCoercionConfigDefaults(
            types -> {
              for (CoercionInputShape shape : CoercionInputShape.values()) {
                types.setCoercion(shape, CoercionAction.Fail);
              }
            });
  }
}
