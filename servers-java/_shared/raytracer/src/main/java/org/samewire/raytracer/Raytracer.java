package org.samewire.raytracer;

/**
 * The picture of the contract (contract-tests/raytracer/README.md), bit for bit.
 *
 * <p>The order of operations is the contract's: rearranging a sum changes pixels. Nothing is
 * allocated but the picture, and nothing is shared: any number of threads may render.
 */
public final class Raytracer {
  private static final double EPSILON = 0.0001;
  private static final double FAR = 1000;
  private static final double MISSED = Double.POSITIVE_INFINITY;

  // What a ray meets; from 0 on it is a sphere.
  private static final int NOTHING = -2;
  private static final int GROUND = -1;

  private static final int SPHERES = 8;
  private static final double[] X = {0.1, -2.2, 2.1, 0.55, -0.95, -2.6, 2.5, 1.45};
  private static final double[] Y = {1.3, 0.9, 0.75, 0.45, 0.35, 1.0, 1.2, 0.28};
  private static final double[] Z = {1.4, 0.3, -0.3, -1.6, -1.9, 4.4, 2.1, -2.5};
  private static final double[] RADIUS = {1.3, 0.9, 0.75, 0.45, 0.35, 1.0, 1.2, 0.28};
  private static final double[] RED = {0.80, 0.75, 0.02, 0.95, 0.85, 0.20, 0.34, 0.10};
  private static final double[] GREEN = {0.82, 0.06, 0.30, 0.47, 0.80, 0.38, 0.10, 0.28};
  private static final double[] BLUE = {0.85, 0.05, 0.34, 0.05, 0.70, 0.10, 0.48, 0.75};
  private static final double[] SPECULAR = {0.9, 0.6, 0.6, 0.8, 0, 0, 0.6, 0.4};
  private static final int[] SQUARINGS = {8, 6, 6, 5, 0, 0, 6, 6};
  private static final double[] MIRROR = {0.90, 0.06, 0.06, 0.20, 0, 0, 0.55, 0};

  private static final int LIGHTS = 2;
  private static final double[] LIGHT_X = {-7.0, 6.0};
  private static final double[] LIGHT_Y = {8.0, 7.0};
  private static final double[] LIGHT_Z = {-5.0, -4.0};
  private static final double[] LIGHT_RED = {1.15, 0.14};
  private static final double[] LIGHT_GREEN = {0.96, 0.20};
  private static final double[] LIGHT_BLUE = {0.72, 0.34};

  private Raytracer() {}

  /** The whole picture: red, green, blue of every pixel, row by row from the top. */
  public static byte[] render(int width, int height, int depth) {
    byte[] pixels = new byte[3 * width * height];
    for (int y = 0; y < height; y++) {
      renderRow(width, height, depth, y, pixels, 3 * width * y);
    }
    return pixels;
  }

  /** Puts the 3 × width bytes of row {@code y} into {@code pixels}, from {@code offset} on. */
  public static void renderRow(int width, int height, int depth, int y, byte[] pixels, int offset) {
    double v = (double) (height - (2 * y + 1)) / height * 0.52 - 0.17;
    for (int x = 0; x < width; x++) {
      double u = (double) ((2 * x + 1) - width) / height * 0.52;
      renderPixel(u, v, depth, pixels, offset + 3 * x);
    }
  }

  private static void renderPixel(double u, double v, int depth, byte[] pixels, int offset) {
    double length = Math.sqrt(u * u + v * v + 1);
    double dx = u / length;
    double dy = v / length;
    double dz = 1 / length;
    double px = 0;
    double py = 1.9;
    double pz = -6.6;
    double red = 0;
    double green = 0;
    double blue = 0;
    double weight = 1;

    for (int bounce = 0; ; bounce++) {
      int hit = NOTHING;
      double nearest = FAR;
      if (dy < 0) {
        double t = -py / dy;
        if (t > EPSILON && t < nearest) {
          nearest = t;
          hit = GROUND;
        }
      }
      for (int i = 0; i < SPHERES; i++) {
        double t = distance(i, px, py, pz, dx, dy, dz);
        if (t > EPSILON && t < nearest) {
          nearest = t;
          hit = i;
        }
      }

      if (hit == NOTHING) {
        double k = dy > 0 ? 1 - dy : 1;
        k = k * k;
        k = k * k;
        k = k * k;
        red = red + weight * (0.03 + 0.89 * k);
        green = green + weight * (0.10 + 0.45 * k);
        blue = blue + weight * (0.30 + 0.03 * k);
        break;
      }

      // Haze on the way there.
      double square = nearest * nearest;
      double haze = square / (square + 2000);
      red = red + weight * haze * 0.92;
      green = green + weight * haze * 0.55;
      blue = blue + weight * haze * 0.33;
      weight = weight * (1 - haze);

      px = px + dx * nearest;
      py = py + dy * nearest;
      pz = pz + dz * nearest;
      double nx;
      double ny;
      double nz;
      double r;
      double g;
      double b;
      double specular;
      int squarings;
      double mirror;
      if (hit == GROUND) {
        nx = 0;
        ny = 1;
        nz = 0;
        double tiles = Math.floor(0.8 * px + 0.6 * pz) + Math.floor(0.8 * pz - 0.6 * px);
        boolean light = tiles - 2 * Math.floor(tiles / 2) == 0;
        r = light ? 0.55 : 0.035;
        g = light ? 0.50 : 0.03;
        b = light ? 0.44 : 0.05;
        specular = 0;
        squarings = 0;
        mirror = 0.08;
      } else {
        nx = (px - X[hit]) / RADIUS[hit];
        ny = (py - Y[hit]) / RADIUS[hit];
        nz = (pz - Z[hit]) / RADIUS[hit];
        r = RED[hit];
        g = GREEN[hit];
        b = BLUE[hit];
        specular = SPECULAR[hit];
        squarings = SQUARINGS[hit];
        mirror = MIRROR[hit];
      }

      double along = dx * nx + dy * ny + dz * nz;
      double rx = dx - 2 * along * nx;
      double ry = dy - 2 * along * ny;
      double rz = dz - 2 * along * nz;

      double share = 0;
      if (mirror > 0 && bounce < depth) {
        double f = 1 + along;
        double f2 = f * f;
        share = mirror + (1 - mirror) * (f2 * f2 * f);
      }

      double ambient = 0.05 + 0.04 * ny;
      double lr = r * ambient;
      double lg = g * ambient;
      double lb = b * ambient * 1.5;
      for (int i = 0; i < LIGHTS; i++) {
        double lx = LIGHT_X[i] - px;
        double ly = LIGHT_Y[i] - py;
        double lz = LIGHT_Z[i] - pz;
        double distance = Math.sqrt(lx * lx + ly * ly + lz * lz);
        lx = lx / distance;
        ly = ly / distance;
        lz = lz / distance;
        double facing = nx * lx + ny * ly + nz * lz;
        if (facing > 0 && !shadowed(px, py, pz, lx, ly, lz, distance)) {
          double shine = 0;
          if (specular > 0) {
            double toward = rx * lx + ry * ly + rz * lz;
            if (toward > 0) {
              shine = toward;
              for (int n = 0; n < squarings; n++) {
                shine = shine * shine;
              }
              shine = shine * specular;
            }
          }
          lr = lr + (r * facing + shine) * LIGHT_RED[i];
          lg = lg + (g * facing + shine) * LIGHT_GREEN[i];
          lb = lb + (b * facing + shine) * LIGHT_BLUE[i];
        }
      }

      double own = weight * (1 - share);
      red = red + own * lr;
      green = green + own * lg;
      blue = blue + own * lb;
      if (share == 0) {
        break;
      }
      weight = weight * share;
      dx = rx;
      dy = ry;
      dz = rz;
    }

    pixels[offset] = colour(red);
    pixels[offset + 1] = colour(green);
    pixels[offset + 2] = colour(blue);
  }

  /** How far it is from p along d to sphere i, seen from outside. */
  private static double distance(
      int i, double px, double py, double pz, double dx, double dy, double dz) {
    double ox = px - X[i];
    double oy = py - Y[i];
    double oz = pz - Z[i];
    double b = ox * dx + oy * dy + oz * dz;
    if (b >= 0) {
      return MISSED;
    }
    double c = ox * ox + oy * oy + oz * oz - RADIUS[i] * RADIUS[i];
    double q = b * b - c;
    return q > 0 ? -b - Math.sqrt(q) : MISSED;
  }

  /** Whether a sphere is between p and the light, which is {@code far} away along l. */
  private static boolean shadowed(
      double px, double py, double pz, double lx, double ly, double lz, double far) {
    for (int i = 0; i < SPHERES; i++) {
      double t = distance(i, px, py, pz, lx, ly, lz);
      if (t > EPSILON && t < far) {
        return true;
      }
    }
    return false;
  }

  private static byte colour(double light) {
    double c = light < 0 ? 0 : light > 1 ? 1 : light;
    return (byte) Math.floor(255 * Math.sqrt(c) + 0.5);
  }
}
