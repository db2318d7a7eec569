package org.samewire.todo;

import jakarta.validation.Constraint;
import jakarta.validation.Payload;
import jakarta.validation.ReportAsSingleViolation;
import jakarta.validation.constraints.Pattern;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;

/**
 * 1 to 200 characters, not only blanks. PostgreSQL stores neither NUL nor half a surrogate pair.
 */
@Pattern(regexp = "(?s)(?=.*[^ ])[^\\x00\\p{Cs}]{1,200}")
@ReportAsSingleViolation
@Constraint(validatedBy = {})
@Retention(RetentionPolicy.RUNTIME)
@interface Title {
  String message() default "";

  Class<?>[] groups() default {};

  Class<? extends Payload>[] payload() default {};
}
