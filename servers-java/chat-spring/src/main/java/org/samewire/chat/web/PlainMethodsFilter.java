package org.samewire.chat.web;

import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Locale;
import java.util.Set;
import org.springframework.stereotype.Component;
import org.springframework.web.filter.OncePerRequestFilter;

/**
 * OPTIONS and TRACE are methods like any other here, but Spring answers them itself. Methods are
 * with case: in lower case they mean nothing to it.
 */
@Component
class PlainMethodsFilter extends OncePerRequestFilter {
  private static final Set<String> ANSWERED_BY_SPRING = Set.of("OPTIONS", "TRACE");

  @Override
  protected boolean shouldNotFilter(HttpServletRequest request) {
    return !ANSWERED_BY_SPRING.contains(request.getMethod());
  }

  @Override
  protected void doFilterInternal(
      HttpServletRequest request, HttpServletResponse response, FilterChain chain)
      throws ServletException, IOException {
    chain.doFilter(
        new HttpServletRequestWrapper(request) {
          @Override
          public String getMethod() {
            return super.getMethod().toLowerCase(Locale.ROOT);
          }
        },
        response);
  }
}
