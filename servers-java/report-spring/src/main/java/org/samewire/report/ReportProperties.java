package org.samewire.report;

import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import jakarta.validation.constraints.NotEmpty;
import jakarta.validation.constraints.NotNull;
import jakarta.validation.constraints.Pattern;
import java.net.URI;
import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.Assert;
import org.springframework.validation.annotation.Validated;

// #region server.configure
/** All settings. Boot listens on HOST and PORT, as application.properties says. */
@ConfigurationProperties
@Validated
record ReportProperties(
    @NotEmpty @DefaultValue("127.0.0.1") String host,
    @NotNull @Min(1) @Max(65_535) Integer port,
    String todoUrl,
    String raytracerUrl,
    @Pattern(regexp = "[1-9]\\d{0,8}") @DefaultValue("60000") String upstreamTimeoutMs) {

  ReportProperties {
    check("TODO_URL", todoUrl);
    check("RAYTRACER_URL", raytracerUrl);
  }

  private static void check(String name, String url) {
    String form = "(?i)http://([\\w.-]+|\\[[\\p{XDigit}:.]+])(:[1-9]\\d{0,4})?/?";
    Assert.isTrue(
        url != null
            && url.matches(form)
            // Without one it is a name that the client cannot ask, such as my_host.
            && URI.create(url).getHost() != null
            && URI.create(url).getPort() <= 65_535,
        name + " must look like http://host[:port]");
  }

  Duration upstreamTimeout() {
    return Duration.ofMillis(Long.parseLong(upstreamTimeoutMs));
  }
}
// #endregion server.configure
