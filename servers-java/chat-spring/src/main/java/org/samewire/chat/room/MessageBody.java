package org.samewire.chat.room;

import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;
import java.util.Map;
import org.samewire.chat.web.JsonBody;
import org.samewire.chat.web.ProblemException;
import org.springframework.http.HttpStatus;

/** A message as a client sends it. */
record MessageBody(String user, String text) {
  private static final String USER = "user";
  private static final String TEXT = "text";

  static MessageBody read(HttpServletRequest request) throws IOException {
    Map<String, String> members =
        JsonBody.object(request).orElseThrow(() -> broken("Request body must be an object."));
    members.keySet().stream()
        .filter(name -> !name.equals(USER) && !name.equals(TEXT))
        .min(CodePoints.ORDER)
        .ifPresent(
            name -> {
              throw broken("Unknown member: " + name + ".");
            });
    return new MessageBody(Rules.user(members.get(USER)), Rules.text(members.get(TEXT)));
  }

  private static ProblemException broken(String rule) {
    return new ProblemException(HttpStatus.BAD_REQUEST, rule);
  }
}
