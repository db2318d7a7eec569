package org.samewire.todo;

import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import jakarta.validation.constraints.NotEmpty;
import jakarta.validation.constraints.NotNull;
import java.nio.charset.StandardCharsets;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.postgresql.Driver;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.boot.jdbc.autoconfigure.JdbcConnectionDetails;
import org.springframework.util.Assert;
import org.springframework.validation.annotation.Validated;
import org.springframework.web.util.UriUtils;

// #region server.configure
/**
 * HOST, PORT and POSTGRES_URL. Boot listens where application.properties says: on the first two.
 */
@ConfigurationProperties
@Validated
record TodoProperties(
    @NotEmpty @DefaultValue("127.0.0.1") String host,
    @NotNull @Min(1) @Max(65_535) Integer port,
    String postgresUrl)
    implements JdbcConnectionDetails {

  // The parts are user, password and the rest. An escape that is broken is refused at once.
  private static final Pattern FORM =
      Pattern.compile(
          "(?!.*%(?!\\p{XDigit}{2}))postgres(?:ql)?://([^:@/]+)(?::([^@/]*))?@([^@/]+/[^@/]+)");

  TodoProperties {
    // No constraint: Boot would show the value, which may hold a password.
    Matcher form = FORM.matcher(String.valueOf(postgresUrl));
    Assert.isTrue(
        form.matches() && new Driver().acceptsURL("jdbc:postgresql://" + form.group(3)),
        "POSTGRES_URL must look like postgres://user[:password]@host:port/database");
  }

  @Override
  public String getJdbcUrl() {
    return "jdbc:postgresql://" + part("$3");
  }

  @Override
  public String getUsername() {
    return UriUtils.decode(part("$1"), StandardCharsets.UTF_8);
  }

  @Override
  public String getPassword() {
    return UriUtils.decode(part("$2"), StandardCharsets.UTF_8);
  }

  private String part(String group) {
    return FORM.matcher(postgresUrl).replaceFirst(group);
  }
}
// #endregion server.configure
