package org.samewire.upload;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Path;

class VirtualThreadsUploadServerTest extends UploadServerTest {
  @Override
  Settings settings(Path folder, long maxFileBytes, long maxRequestBytes) {
    assumeTrue(Runtime.version().feature() >= 21);
    return settings(folder, maxFileBytes, maxRequestBytes, true, false);
  }
}
