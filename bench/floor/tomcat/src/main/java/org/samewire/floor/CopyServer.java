package org.samewire.floor;

import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Set;
import org.apache.catalina.connector.Connector;
import org.apache.catalina.startup.Tomcat;

/** Copies the body of a request to a file. */
final class CopyServer extends HttpServlet {
  private static final long serialVersionUID = 1L;
  private static final Path COPY = Path.of(System.getenv("UPLOAD_DIR"), "copy");

  @Override
  protected void doPost(HttpServletRequest request, HttpServletResponse response)
      throws IOException {
    Files.copy(request.getInputStream(), COPY, StandardCopyOption.REPLACE_EXISTING);
    response.setStatus(HttpServletResponse.SC_CREATED);
  }

  public static void main(String[] args) throws Exception {
    var connector = new Connector();
    connector.setProperty("address", System.getenv("HOST"));
    connector.setPort(Integer.parseInt(System.getenv("PORT")));
    var tomcat = new Tomcat();
    tomcat.setBaseDir(System.getProperty("java.io.tmpdir"));
    tomcat.setConnector(connector);
    tomcat
        .addContext("", null)
        .addServletContainerInitializer(
            (classes, servlets) -> servlets.addServlet("copy", new CopyServer()).addMapping("/"),
            Set.of());
    tomcat.start();
  }
}
