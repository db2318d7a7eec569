package org.samewire.upload;

import java.nio.file.Path;

class NonBlockingUploadServerTest extends UploadServerTest {
  @Override
  Settings settings(Path folder, long maxFileBytes, long maxRequestBytes) {
    return settings(folder, maxFileBytes, maxRequestBytes, false, true);
  }
}
