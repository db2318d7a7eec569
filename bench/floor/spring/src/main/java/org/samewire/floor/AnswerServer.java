package org.samewire.floor;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** A constant answer. */
@SpringBootApplication
@RestController
class AnswerServer {
  record Health(String status) {}

  @GetMapping("/")
  Health answer() {
    return new Health("ok");
  }

  public static void main(String[] args) {
    SpringApplication.run(
        AnswerServer.class,
        "--spring.main.banner-mode=off",
        "--server.address=" + System.getenv("HOST"),
        "--server.port=" + System.getenv("PORT"),
        "--server.tomcat.max-keep-alive-requests=-1");
  }
}
