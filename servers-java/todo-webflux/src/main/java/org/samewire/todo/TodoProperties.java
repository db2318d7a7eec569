package org.samewire.todo;

import io.r2dbc.spi.ConnectionFactoryOptions;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import jakarta.validation.constraints.NotEmpty;
import jakarta.validation.constraints.NotNull;
import java.util.regex.Pattern;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.Assert;
import org.springframework.validation.annotation.Validated;

// #region server.configure
/**
 * HOST, PORT and POSTGRES_URL. Boot listens where application.properties says: on the first two.
 */
@ConfigurationProperties
@Validated
record TodoProperties(
    @NotEmpty @DefaultValue("127.0.0.1") String host,
    @NotNull @Min(1) @Max(65_535) Integer port,
    String postgresUrl) {

  // An escape that is broken is refused at once; so is a port of more than 65,535.
  private static final Pattern FORM =
      Pattern.compile(
          "(?!.*%(?!\\p{XDigit}{2}))postgres(?:ql)?://[^:@/?]+(?::[^:@/?]*)?@[^:@/?]+"
              + "(?::(?:[1-5]?\\d{1,4}|6[0-4]\\d{3}|65[0-4]\\d{2}|655[0-2]\\d|6553[0-5]))?/[^@/?]+");

  TodoProperties {
    // No constraint: Boot would show the value, which may hold a password.
    Assert.isTrue(
        FORM.matcher(String.valueOf(postgresUrl)).matches(),
        "POSTGRES_URL must look like postgres://user[:password]@host:port/database");
  }

  ConnectionFactoryOptions database() {
    return ConnectionFactoryOptions.parse("r2dbc:" + postgresUrl);
  }
}
// #endregion server.configure
