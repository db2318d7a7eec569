package org.samewire.shortener;

/** A request that is answered with a problem. */
final class ProblemException extends Exception {
  private static final long serialVersionUID = 1;

  private final Problem problem;

  ProblemException(Problem problem) {
    super(problem.name(), null, false, false);
    this.problem = problem;
  }

  Problem problem() {
    return problem;
  }
}
