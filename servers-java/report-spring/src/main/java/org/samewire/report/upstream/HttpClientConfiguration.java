package org.samewire.report.upstream;

import org.apache.hc.client5.http.config.ConnectionConfig;
import org.apache.hc.client5.http.config.RequestConfig;
import org.apache.hc.client5.http.impl.classic.CloseableHttpClient;
import org.apache.hc.client5.http.impl.classic.HttpClients;
import org.apache.hc.client5.http.impl.io.ManagedHttpClientConnectionFactory;
import org.apache.hc.client5.http.impl.io.PoolingHttpClientConnectionManagerBuilder;
import org.apache.hc.core5.http.config.Http1Config;
import org.apache.hc.core5.http.impl.io.DefaultHttpResponseParserFactory;
import org.apache.hc.core5.util.Timeout;
import org.samewire.report.Settings;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** A client that does nothing of its own: no redirects, no retries, no codings, no cookies. */
@Configuration(proxyBeanMethods = false)
class HttpClientConfiguration {
  /** Two for each of Tomcat's threads. */
  private static final int MAX_CONNECTIONS = 400;

  @Bean
  CloseableHttpClient httpClient(Settings settings) {
    // Longer than the exchange may take, which Upstreams ends.
    Timeout timeout = Timeout.of(settings.upstreamTimeout().plusSeconds(1));
    var connections =
        PoolingHttpClientConnectionManagerBuilder.create()
            .setMaxConnTotal(MAX_CONNECTIONS)
            .setMaxConnPerRoute(MAX_CONNECTIONS)
            .setDefaultConnectionConfig(
                ConnectionConfig.custom()
                    .setConnectTimeout(timeout)
                    .setSocketTimeout(timeout)
                    .build())
            .setConnectionFactory(
                ManagedHttpClientConnectionFactory.builder()
                    // The client's own parser takes lines before the status line for rubbish.
                    .responseParserFactory(DefaultHttpResponseParserFactory.INSTANCE)
                    .http1Config(
                        Http1Config.custom()
                            .setMaxLineLength(16 * 1024)
                            .setMaxHeaderCount(200)
                            .build())
                    .build())
            .build();
    return HttpClients.custom()
        .setConnectionManager(connections)
        // No connection is kept: an upstream may close one at the moment of the next request.
        .setConnectionReuseStrategy((request, response, context) -> false)
        .setDefaultRequestConfig(
            RequestConfig.custom()
                .setConnectionRequestTimeout(timeout)
                .setResponseTimeout(timeout)
                .build())
        .disableRedirectHandling()
        .disableAutomaticRetries()
        .disableContentCompression()
        .disableCookieManagement()
        .disableAuthCaching()
        .build();
  }
}
