package org.samewire.todo;

import jakarta.validation.Constraint;
import jakarta.validation.Payload;
import jakarta.validation.ReportAsSingleViolation;
import jakarta.validation.constraints.Pattern;
import jakarta.validation.constraints.Size;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;

/**
 * 1 to 200 characters, not only blanks; no NUL and no half of a surrogate pair, which PostgreSQL
 * does not store.
 */
@Size(min = 1, max = 200)
@Pattern(regexp = "\\s*+[^\\s\\x00\\p{Cs}][^\\x00\\p{Cs}]*+")
@ReportAsSingleViolation
@Constraint(validatedBy = {})
@Retention(RetentionPolicy.RUNTIME)
@interface Title {
  String message() default "";

  Class<?>[] groups() default {};

  Class<? extends Payload>[] payload() default {};
}
