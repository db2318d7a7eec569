package org.samewire.todo;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.tomcat.util.http.InvalidParameterException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.dao.DataAccessException;
import org.springframework.dao.DataAccessResourceFailureException;
import org.springframework.dao.TransientDataAccessException;
import org.springframework.http.HttpStatus;
import org.springframework.web.ErrorResponse;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.RestControllerAdvice;

/** What Spring MVC does not answer as a problem of the right status by itself. */
@RestControllerAdvice
class TodoProblems {
  private static final Logger log = LoggerFactory.getLogger(TodoProblems.class);
  private static final long MINUTE = TimeUnit.MINUTES.toNanos(1);

  private final AtomicLong lastLine = new AtomicLong(System.nanoTime() - MINUTE);

  /** The database is away, or busy for too long. One line in the log each minute. */
  @ExceptionHandler({DataAccessResourceFailureException.class, TransientDataAccessException.class})
  ErrorResponse databaseAway(DataAccessException e) {
    long now = System.nanoTime();
    long last = lastLine.get();
    if (now - last >= MINUTE && lastLine.compareAndSet(last, now)) {
      log.warn("The database does not answer: {}", e.getMostSpecificCause().getMessage());
    }
    return ErrorResponse.create(
        e, HttpStatus.SERVICE_UNAVAILABLE, "The database does not answer. Please try again.");
  }

  /** A fault of ours. Without this method it is a page of Tomcat's. */
  @ExceptionHandler
  ErrorResponse fault(DataAccessException e) {
    log.error("A statement fails", e);
    return ErrorResponse.create(e, HttpStatus.INTERNAL_SERVER_ERROR, "The server made a mistake.");
  }

  /** A query that Tomcat cannot decode, such as {@code ?%zz}; else a 500. */
  @ExceptionHandler
  ErrorResponse badQuery(InvalidParameterException e) {
    return ErrorResponse.create(e, HttpStatus.BAD_REQUEST, "The query is malformed.");
  }
}
