package org.samewire.upload;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.regex.Pattern;

/**
 * One file per upload, named by its id; under a temporary name until its whole request is there.
 */
final class FileStore {
  private static final String TEMPORARY = ".part-";
  private static final Pattern ID =
      Pattern.compile("[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}");

  private final Path folder;

  FileStore(Path folder) {
    this.folder = folder;
  }

  static boolean isId(String text) {
    return ID.matcher(text).matches();
  }

  /** Whether there was no room for a file. Java tells ENOSPC and EDQUOT by their texts alone. */
  static boolean isFull(IOException e) {
    String message = String.valueOf(e.getMessage());
    return message.contains("No space left on device") || message.contains("quota exceeded");
  }

  /** Deletes what was cut short: by the end of this process, or of one before it. */
  void deleteUnfinished() throws IOException {
    try (DirectoryStream<Path> files = Files.newDirectoryStream(folder, TEMPORARY + "*")) {
      for (Path file : files) {
        Files.deleteIfExists(file);
      }
    }
  }

  OutputStream create(String id) throws IOException {
    return Files.newOutputStream(
        temporary(id), StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
  }

  /** Makes an upload of what was written. */
  void keep(String id) throws IOException {
    Files.move(temporary(id), folder.resolve(id), StandardCopyOption.ATOMIC_MOVE);
  }

  /** Forgets what was written, kept or not. */
  void discard(String id) throws IOException {
    Files.deleteIfExists(temporary(id));
    Files.deleteIfExists(folder.resolve(id));
  }

  /** Throws NoSuchFileException if there is no such upload. */
  FileChannel open(String id) throws IOException {
    return FileChannel.open(folder.resolve(id), StandardOpenOption.READ);
  }

  /** False if there is no such upload. */
  boolean delete(String id) throws IOException {
    return Files.deleteIfExists(folder.resolve(id));
  }

  private Path temporary(String id) {
    return folder.resolve(TEMPORARY + id);
  }
}
