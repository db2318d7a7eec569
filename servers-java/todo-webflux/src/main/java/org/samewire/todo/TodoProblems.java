package org.samewire.todo;

import io.r2dbc.spi.R2dbcException;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.dao.DataAccessException;
import org.springframework.dao.DataAccessResourceFailureException;
import org.springframework.dao.TransientDataAccessException;
import org.springframework.http.HttpStatus;
import org.springframework.web.ErrorResponse;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.RestControllerAdvice;

/** What Spring WebFlux does not answer as a problem of the right status by itself. */
@RestControllerAdvice
class TodoProblems {
  private static final Logger log = LoggerFactory.getLogger(TodoProblems.class);
  private static final long MINUTE = TimeUnit.MINUTES.toNanos(1);

  /** Classes of SQLSTATE: no connection, no such database, no resources, an operator's decision. */
  private static final Set<String> AWAY = Set.of("08", "28", "3D", "53", "57");

  private final AtomicLong lastLine = new AtomicLong(System.nanoTime() - MINUTE);

  /** The database is away, or busy for too long. One line in the log each minute. */
  @ExceptionHandler({DataAccessResourceFailureException.class, TransientDataAccessException.class})
  ErrorResponse databaseAway(DataAccessException e) {
    if (isFault(e)) {
      return fault(e);
    }
    long now = System.nanoTime();
    long last = lastLine.get();
    if (now - last >= MINUTE && lastLine.compareAndSet(last, now)) {
      log.warn("The database does not answer: {}", e.getMostSpecificCause().getMessage());
    }
    return ErrorResponse.create(
        e, HttpStatus.SERVICE_UNAVAILABLE, "The database does not answer. Please try again.");
  }

  /** The driver takes each error that it does not know for a failure of the connection. */
  private static boolean isFault(DataAccessException e) {
    return e.getMostSpecificCause() instanceof R2dbcException cause
        && cause.getSqlState() != null
        && !AWAY.contains(cause.getSqlState().substring(0, 2));
  }

  /** A fault of ours. */
  @ExceptionHandler
  ErrorResponse fault(DataAccessException e) {
    log.error("A statement fails", e);
    return ErrorResponse.create(e, HttpStatus.INTERNAL_SERVER_ERROR, "The server made a mistake.");
  }
}
