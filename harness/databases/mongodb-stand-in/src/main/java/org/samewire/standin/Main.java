package org.samewire.standin;

import de.bwaldvogel.mongo.MongoServer;
import de.bwaldvogel.mongo.MongoVersion;
import de.bwaldvogel.mongo.ServerVersion;
import de.bwaldvogel.mongo.backend.memory.MemoryBackend;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/**
 * A stand-in for MongoDB where no mongod can be had: mongo-java-server with its memory backend. It
 * is not durable and is never to be reported as MongoDB.
 */
public final class Main {

  /**
   * The oldest wire version that the Node driver 7 accepts (MongoDB 4.4); the library announces 8.
   */
  private static final int WIRE_VERSION = 9;

  private static final class AnnouncedVersion implements MongoVersion {
    @Override
    public List<Integer> getVersionArray() {
      return ServerVersion.MONGO_5_0.getVersionArray();
    }

    @Override
    public int getWireVersion() {
      return WIRE_VERSION;
    }
  }

  public static void main(String[] arguments) throws InterruptedException {
    if (arguments.length != 2) {
      System.err.println("usage: mongodb-stand-in HOST PORT");
      System.exit(2);
    }
    MongoServer server = new MongoServer(new MemoryBackend().version(new AnnouncedVersion()));
    server.bind(arguments[0], Integer.parseInt(arguments[1]));
    CountDownLatch stopped = new CountDownLatch(1);
    Runtime.getRuntime()
        .addShutdownHook(
            new Thread(
                () -> {
                  server.shutdownNow();
                  stopped.countDown();
                }));
    System.out.println("listening on " + server.getConnectionString());
    stopped.await();
  }

  private Main() {}
}
