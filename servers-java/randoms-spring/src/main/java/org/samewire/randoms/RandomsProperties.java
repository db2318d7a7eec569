package org.samewire.randoms;

import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import jakarta.validation.constraints.NotEmpty;
import jakarta.validation.constraints.NotNull;
import jakarta.validation.constraints.Pattern;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.validation.annotation.Validated;

// #region server.configure
/** All settings. What application.properties hands on to Boot is checked here, too. */
@ConfigurationProperties
@Validated
record RandomsProperties(
    @NotEmpty @DefaultValue("127.0.0.1") String host,
    @NotNull @Min(1) @Max(65_535) Integer port,
    @Pattern(regexp = "none|sync|async") @DefaultValue("none") String log,
    @Pattern(regexp = "on|off") String compression,
    @Min(0) Integer compressionMinBytes) {}
// #endregion server.configure
