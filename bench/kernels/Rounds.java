import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import org.samewire.raytracer.Raytracer;

/**
 * Renders a picture again and again: {@code Rounds WIDTH HEIGHT DEPTH ROUNDS}. Prints its SHA-256,
 * then the processor seconds of each. For the kernels in Java and in Scala, which have one name.
 */
final class Rounds {
  private Rounds() {}

  public static void main(String[] args) throws NoSuchAlgorithmException {
    int width = Integer.parseInt(args[0]);
    int height = Integer.parseInt(args[1]);
    int depth = Integer.parseInt(args[2]);
    byte[] digest =
        MessageDigest.getInstance("SHA-256").digest(Raytracer.render(width, height, depth));
    System.out.println(HexFormat.of().formatHex(digest));
    ThreadMXBean clock = ManagementFactory.getThreadMXBean();
    for (int round = 0; round < Integer.parseInt(args[3]); round++) {
      long begin = clock.getCurrentThreadCpuTime();
      Raytracer.render(width, height, depth);
      System.out.println((clock.getCurrentThreadCpuTime() - begin) / 1e9);
    }
  }
}
