package org.samewire.chat;

import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import jakarta.validation.constraints.NotEmpty;
import jakarta.validation.constraints.NotNull;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.validation.annotation.Validated;

// #region server.configure
/** HOST and PORT. Boot listens on both, as application.properties says. */
@ConfigurationProperties
@Validated
record ChatProperties(
    @NotEmpty @DefaultValue("127.0.0.1") String host, @NotNull @Min(1) @Max(65_535) Integer port) {}
// #endregion server.configure
