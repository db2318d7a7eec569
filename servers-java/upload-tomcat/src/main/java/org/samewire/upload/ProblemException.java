package org.samewire.upload;

/** A request that is answered with a problem. */
final class ProblemException extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final Problem problem;
  private final String allow;

  ProblemException(Problem problem) {
    this(problem, null);
  }

  private ProblemException(Problem problem, String allow) {
    super(problem.name(), null, false, false);
    this.problem = problem;
    this.allow = allow;
  }

  static ProblemException notAllowed(String allow) {
    return new ProblemException(Problem.METHOD_NOT_ALLOWED, allow);
  }

  Problem problem() {
    return problem;
  }

  /** The methods that there are, or null. */
  String allow() {
    return allow;
  }
}
