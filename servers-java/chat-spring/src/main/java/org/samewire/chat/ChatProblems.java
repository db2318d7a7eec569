package org.samewire.chat;

import org.apache.tomcat.util.http.InvalidParameterException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.core.task.TaskRejectedException;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.RestControllerAdvice;
import org.springframework.web.context.request.WebRequest;
import org.springframework.web.servlet.mvc.method.annotation.ResponseEntityExceptionHandler;
import org.springframework.web.util.DisconnectedClientHelper;

/** What Spring MVC does not answer as a problem of the right status by itself. */
@RestControllerAdvice
class ChatProblems extends ResponseEntityExceptionHandler {
  private static final Logger LOG = LoggerFactory.getLogger(ChatProblems.class);

  /** A query that Tomcat cannot decode, such as {@code ?%zz}. */
  @ExceptionHandler
  ProblemDetail badQuery(InvalidParameterException e) {
    return ProblemDetail.forStatusAndDetail(HttpStatus.BAD_REQUEST, "The query is malformed.");
  }

  /**
   * What Spring itself answers. Boot's handler, whose place this one takes, logs no fault of ours.
   */
  @Override
  protected ResponseEntity<Object> handleExceptionInternal(
      Exception e, Object body, HttpHeaders headers, HttpStatusCode status, WebRequest request) {
    if (status.isSameCodeAs(HttpStatus.INTERNAL_SERVER_ERROR)
        && !DisconnectedClientHelper.isClientDisconnectedException(e)) {
      LOG.error("A request has failed.", e);
    }
    return super.handleExceptionInternal(e, body, headers, status, request);
  }

  /** There are as many listeners as may be, or a stop has begun. */
  @ExceptionHandler
  ResponseEntity<ProblemDetail> noPlace(TaskRejectedException e) {
    return ResponseEntity.status(HttpStatus.SERVICE_UNAVAILABLE)
        .header(HttpHeaders.RETRY_AFTER, "5")
        .body(
            ProblemDetail.forStatusAndDetail(
                HttpStatus.SERVICE_UNAVAILABLE, "No more clients can listen now."));
  }

  @ExceptionHandler
  ProblemDetail unexpected(Exception e) {
    if (DisconnectedClientHelper.isClientDisconnectedException(e)) {
      return null; // A stream has lost its client.
    }
    LOG.error("A request has failed.", e);
    return ProblemDetail.forStatusAndDetail(
        HttpStatus.INTERNAL_SERVER_ERROR, "Something went wrong.");
  }
}
