package org.samewire.randoms.web;

/** A request that is answered with a problem. */
public final class ProblemException extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final Problem problem;

  public ProblemException(Problem problem) {
    super(problem.name(), null, false, false);
    this.problem = problem;
  }

  public Problem problem() {
    return problem;
  }
}
