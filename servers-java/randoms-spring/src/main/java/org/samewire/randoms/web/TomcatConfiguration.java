package org.samewire.randoms.web;

import org.apache.catalina.core.StandardHost;
import org.samewire.randoms.Settings;
import org.springframework.boot.tomcat.servlet.TomcatServletWebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.stereotype.Component;

/** What application.properties cannot say. */
@Component
class TomcatConfiguration implements WebServerFactoryCustomizer<TomcatServletWebServerFactory> {
  private final Settings settings;

  TomcatConfiguration(Settings settings) {
    this.settings = settings;
  }

  @Override
  public void customize(TomcatServletWebServerFactory tomcat) {
    tomcat.setAddress(settings.address());
    tomcat.setPort(settings.port());
    // The routes refuse TRACE as they refuse any method.
    tomcat.addConnectorCustomizers(connector -> connector.setAllowTrace(true));
    tomcat.addContextCustomizers(
        context ->
            ((StandardHost) context.getParent())
                .setErrorReportValveClass(ProblemValve.class.getName()));
  }
}
