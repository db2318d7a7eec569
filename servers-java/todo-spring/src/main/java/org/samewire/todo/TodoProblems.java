package org.samewire.todo;

import org.apache.tomcat.util.http.InvalidParameterException;
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

  /** No line in the log for each request: HikariCP tells that it cannot connect. */
  @ExceptionHandler({DataAccessResourceFailureException.class, TransientDataAccessException.class})
  ErrorResponse databaseAway(DataAccessException e) {
    return ErrorResponse.create(
        e, HttpStatus.SERVICE_UNAVAILABLE, "The database does not answer. Please try again.");
  }

  /** A query that Tomcat cannot decode, such as {@code ?%zz}; else a 500. */
  @ExceptionHandler
  ErrorResponse badQuery(InvalidParameterException e) {
    return ErrorResponse.create(e, HttpStatus.BAD_REQUEST, "The query is malformed.");
  }
}
