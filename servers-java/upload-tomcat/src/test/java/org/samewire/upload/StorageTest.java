package org.samewire.upload;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class StorageTest {
  private static final int LARGE = 4 * 1024 * 1024;

  @TempDir private Path folder;

  @ParameterizedTest
  @CsvSource({"false,0", "false," + LARGE, "true,0", "true,5", "true," + LARGE})
  void whatIsWrittenIsKeptWhole(boolean diskFileItems, int size) throws IOException {
    String id;
    try (Storage.Form form = new Storage(folder, diskFileItems).newForm()) {
      id = form.newFile();
      assertEquals(size, form.write(id, new ByteArrayInputStream(new byte[size])));
      form.keep();
    }
    assertArrayEquals(new byte[size], Files.readAllBytes(folder.resolve(id)));
    assertEquals(1, files());
  }

  @ParameterizedTest
  @CsvSource({"false," + LARGE, "true,5", "true," + LARGE})
  void nothingIsLeftOfAFileThatBreaksOff(boolean diskFileItems, int size) throws IOException {
    try (Storage.Form form = new Storage(folder, diskFileItems).newForm()) {
      assertThrows(IOException.class, () -> form.write(form.newFile(), breakingOff(size)));
    }
    assertEquals(0, files());
  }

  @Test
  void whatAnEarlierProcessLeftIsDeletedAndUploadsAreNot() throws IOException {
    for (String name : new String[] {".part-a", "upload_1_00000000.tmp", "an-upload"}) {
      Files.createFile(folder.resolve(name));
    }
    new Storage(folder, true).deleteUnfinished();
    assertEquals(1, files());
  }

  private static InputStream breakingOff(int size) {
    var broken =
        new InputStream() {
          @Override
          public int read() throws IOException {
            throw new IOException("broken off");
          }
        };
    return new SequenceInputStream(new ByteArrayInputStream(new byte[size]), broken);
  }

  private long files() throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files.count();
    }
  }
}
