package org.samewire.upload;

import java.io.BufferedOutputStream;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.apache.commons.fileupload2.core.DiskFileItem;
import org.apache.commons.fileupload2.core.DiskFileItemFactory;
import org.apache.commons.io.output.DeferredFileOutputStream;

/** The folder: a file for each upload, with its id for a name. */
final class Storage {
  private static final String UNFINISHED = ".part-";
  private static final int BUFFER_BYTES = 64 * 1024;
  private static final int ITEM_BYTES_IN_MEMORY = 3 * 1024 * 1024;
  private static final int BODY_BYTES_IN_MEMORY = 16 * 1024;

  private final Path folder;
  private final boolean diskFileItems;
  private final DiskFileItemFactory items;

  Storage(Path folder, boolean diskFileItems) {
    this.folder = folder;
    this.diskFileItems = diskFileItems;
    items = DiskFileItemFactory.builder().setPath(folder).setThreshold(ITEM_BYTES_IN_MEMORY).get();
  }

  /** Whether there was no room for a file. Java tells it by the words of the system alone. */
  static boolean isFull(IOException e) {
    String message = String.valueOf(e.getMessage());
    return message.contains("No space left on device") || message.contains("quota exceeded");
  }

  boolean isWritable() {
    return Files.isWritable(folder);
  }

  /** Deletes what an earlier process, or this one at its end, has not finished, also as an item. */
  void deleteUnfinished() throws IOException {
    try (DirectoryStream<Path> files =
        Files.newDirectoryStream(folder, "{" + UNFINISHED + "*,upload_*.tmp}")) {
      for (Path file : files) {
        Files.deleteIfExists(file);
      }
    }
  }

  /** A place for a body that comes before it is read: memory, or an unfinished file. */
  DeferredFileOutputStream newBody() {
    return DeferredFileOutputStream.builder()
        .setThreshold(BODY_BYTES_IN_MEMORY)
        .setPrefix(UNFINISHED)
        .setDirectory(folder)
        .get();
  }

  Form newForm() {
    return new Form();
  }

  /** Throws NoSuchFileException if there is no such file. */
  FileChannel open(String id) throws IOException {
    return FileChannel.open(folder.resolve(id), StandardOpenOption.READ);
  }

  /** Whether there was such a file. */
  boolean delete(String id) throws IOException {
    return Files.deleteIfExists(folder.resolve(id));
  }

  // #region upload.stream-to-disk
  /** The files of one form. They have temporary names, and are deleted if they are not kept. */
  final class Form implements Closeable {
    private final List<String> ids = new ArrayList<>();
    private boolean kept;

    String newFile() {
      String id = UUID.randomUUID().toString();
      ids.add(id);
      return id;
    }

    /** Returns the size. */
    long write(String id, InputStream content) throws IOException {
      if (diskFileItems) {
        return writeItem(id, content);
      }
      try (OutputStream file =
              Files.newOutputStream(unfinished(id), StandardOpenOption.CREATE_NEW);
          var buffered = new BufferedOutputStream(file, BUFFER_BYTES)) {
        return content.transferTo(buffered);
      }
    }

    /** The file is in memory until it has more than 3 MB, and then in a temporary one. */
    private long writeItem(String id, InputStream content) throws IOException {
      DiskFileItem item = items.fileItemBuilder().get();
      try {
        long size;
        try (OutputStream output = item.getOutputStream()) {
          size = content.transferTo(output);
        }
        item.write(unfinished(id));
        return size;
      } finally {
        item.delete();
      }
    }

    void keep() throws IOException {
      for (String id : ids) {
        Files.move(unfinished(id), folder.resolve(id), StandardCopyOption.ATOMIC_MOVE);
      }
      kept = true;
    }

    @Override
    public void close() throws IOException {
      for (String id : kept ? List.<String>of() : ids) {
        Files.deleteIfExists(unfinished(id));
        Files.deleteIfExists(folder.resolve(id));
      }
    }

    private Path unfinished(String id) {
      return folder.resolve(UNFINISHED + id);
    }
  }

  // #endregion upload.stream-to-disk
}
