package org.samewire.raytracer

/** The picture of the contract (contract-tests/raytracer/README.md), bit for bit.
  *
  * The order of operations is the contract's: rearranging a sum changes pixels. Loops and local
  * variables rather than collections and vectors of three, so that nothing is allocated but the
  * picture; any number of threads may render.
  */
object Raytracer {
  private final val Epsilon = 0.0001
  private final val Far = 1000.0
  private final val Missed = Double.PositiveInfinity

  // What a ray meets; from 0 on it is a sphere.
  private final val Nothing = -2
  private final val Ground = -1

  private final val Spheres = 8
  private[this] val X = Array(0.1, -2.2, 2.1, 0.55, -0.95, -2.6, 2.5, 1.45)
  private[this] val Y = Array(1.3, 0.9, 0.75, 0.45, 0.35, 1.0, 1.2, 0.28)
  private[this] val Z = Array(1.4, 0.3, -0.3, -1.6, -1.9, 4.4, 2.1, -2.5)
  private[this] val Radius = Array(1.3, 0.9, 0.75, 0.45, 0.35, 1.0, 1.2, 0.28)
  private[this] val Red = Array(0.80, 0.75, 0.02, 0.95, 0.85, 0.20, 0.34, 0.10)
  private[this] val Green = Array(0.82, 0.06, 0.30, 0.47, 0.80, 0.38, 0.10, 0.28)
  private[this] val Blue = Array(0.85, 0.05, 0.34, 0.05, 0.70, 0.10, 0.48, 0.75)
  private[this] val Specular = Array(0.9, 0.6, 0.6, 0.8, 0.0, 0.0, 0.6, 0.4)
  private[this] val Squarings = Array(8, 6, 6, 5, 0, 0, 6, 6)
  private[this] val Mirror = Array(0.90, 0.06, 0.06, 0.20, 0.0, 0.0, 0.55, 0.0)

  private final val Lights = 2
  private[this] val LightX = Array(-7.0, 6.0)
  private[this] val LightY = Array(8.0, 7.0)
  private[this] val LightZ = Array(-5.0, -4.0)
  private[this] val LightRed = Array(1.15, 0.14)
  private[this] val LightGreen = Array(0.96, 0.20)
  private[this] val LightBlue = Array(0.72, 0.34)

  /** The whole picture: red, green, blue of every pixel, row by row from the top. */
  def render(width: Int, height: Int, depth: Int): Array[Byte] = {
    val pixels = new Array[Byte](3 * width * height)
    var y = 0
    while (y < height) {
      renderRow(width, height, depth, y, pixels, 3 * width * y)
      y += 1
    }
    pixels
  }

  /** Puts the 3 × width bytes of row `y` into `pixels`, from `offset` on. */
  def renderRow(
      width: Int,
      height: Int,
      depth: Int,
      y: Int,
      pixels: Array[Byte],
      offset: Int
  ): Unit = {
    val v = (height - (2 * y + 1)).toDouble / height * 0.52 - 0.17
    var x = 0
    while (x < width) {
      val u = ((2 * x + 1) - width).toDouble / height * 0.52
      renderPixel(u, v, depth, pixels, offset + 3 * x)
      x += 1
    }
  }

  private def renderPixel(
      u: Double,
      v: Double,
      depth: Int,
      pixels: Array[Byte],
      offset: Int
  ): Unit = {
    val length = math.sqrt(u * u + v * v + 1)
    var dx = u / length
    var dy = v / length
    var dz = 1 / length
    var px = 0.0
    var py = 1.9
    var pz = -6.6
    var red = 0.0
    var green = 0.0
    var blue = 0.0
    var weight = 1.0

    var bounce = 0
    var going = true
    while (going) {
      var hit = Nothing
      var nearest = Far
      if (dy < 0) {
        val t = -py / dy
        if (t > Epsilon && t < nearest) {
          nearest = t
          hit = Ground
        }
      }
      var i = 0
      while (i < Spheres) {
        val t = distance(i, px, py, pz, dx, dy, dz)
        if (t > Epsilon && t < nearest) {
          nearest = t
          hit = i
        }
        i += 1
      }

      if (hit == Nothing) {
        var k = if (dy > 0) 1 - dy else 1.0
        k = k * k
        k = k * k
        k = k * k
        red = red + weight * (0.03 + 0.89 * k)
        green = green + weight * (0.10 + 0.45 * k)
        blue = blue + weight * (0.30 + 0.03 * k)
        going = false
      } else {
        // Haze on the way there.
        val square = nearest * nearest
        val haze = square / (square + 2000)
        red = red + weight * haze * 0.92
        green = green + weight * haze * 0.55
        blue = blue + weight * haze * 0.33
        weight = weight * (1 - haze)

        px = px + dx * nearest
        py = py + dy * nearest
        pz = pz + dz * nearest
        var nx = 0.0
        var ny = 1.0
        var nz = 0.0
        var r = 0.0
        var g = 0.0
        var b = 0.0
        var specular = 0.0
        var squarings = 0
        var mirror = 0.08
        if (hit == Ground) {
          val tiles = math.floor(0.8 * px + 0.6 * pz) + math.floor(0.8 * pz - 0.6 * px)
          val light = tiles - 2 * math.floor(tiles / 2) == 0
          r = if (light) 0.55 else 0.035
          g = if (light) 0.50 else 0.03
          b = if (light) 0.44 else 0.05
        } else {
          nx = (px - X(hit)) / Radius(hit)
          ny = (py - Y(hit)) / Radius(hit)
          nz = (pz - Z(hit)) / Radius(hit)
          r = Red(hit)
          g = Green(hit)
          b = Blue(hit)
          specular = Specular(hit)
          squarings = Squarings(hit)
          mirror = Mirror(hit)
        }

        val along = dx * nx + dy * ny + dz * nz
        val rx = dx - 2 * along * nx
        val ry = dy - 2 * along * ny
        val rz = dz - 2 * along * nz

        var share = 0.0
        if (mirror > 0 && bounce < depth) {
          val f = 1 + along
          val f2 = f * f
          share = mirror + (1 - mirror) * (f2 * f2 * f)
        }

        val ambient = 0.05 + 0.04 * ny
        var lr = r * ambient
        var lg = g * ambient
        var lb = b * ambient * 1.5
        i = 0
        while (i < Lights) {
          var lx = LightX(i) - px
          var ly = LightY(i) - py
          var lz = LightZ(i) - pz
          val far = math.sqrt(lx * lx + ly * ly + lz * lz)
          lx = lx / far
          ly = ly / far
          lz = lz / far
          val facing = nx * lx + ny * ly + nz * lz
          if (facing > 0 && !shadowed(px, py, pz, lx, ly, lz, far)) {
            var shine = 0.0
            if (specular > 0) {
              val toward = rx * lx + ry * ly + rz * lz
              if (toward > 0) {
                shine = toward
                var n = 0
                while (n < squarings) {
                  shine = shine * shine
                  n += 1
                }
                shine = shine * specular
              }
            }
            lr = lr + (r * facing + shine) * LightRed(i)
            lg = lg + (g * facing + shine) * LightGreen(i)
            lb = lb + (b * facing + shine) * LightBlue(i)
          }
          i += 1
        }

        val own = weight * (1 - share)
        red = red + own * lr
        green = green + own * lg
        blue = blue + own * lb
        weight = weight * share
        dx = rx
        dy = ry
        dz = rz
        bounce += 1
        going = share != 0
      }
    }

    pixels(offset) = colour(red)
    pixels(offset + 1) = colour(green)
    pixels(offset + 2) = colour(blue)
  }

  /** How far it is from p along d to sphere i, seen from outside. */
  private def distance(
      i: Int,
      px: Double,
      py: Double,
      pz: Double,
      dx: Double,
      dy: Double,
      dz: Double
  ): Double = {
    val ox = px - X(i)
    val oy = py - Y(i)
    val oz = pz - Z(i)
    val b = ox * dx + oy * dy + oz * dz
    if (b >= 0) Missed
    else {
      val c = ox * ox + oy * oy + oz * oz - Radius(i) * Radius(i)
      val q = b * b - c
      if (q > 0) -b - math.sqrt(q) else Missed
    }
  }

  /** Whether a sphere is between p and the light, which is `far` away along l. */
  private def shadowed(
      px: Double,
      py: Double,
      pz: Double,
      lx: Double,
      ly: Double,
      lz: Double,
      far: Double
  ): Boolean = {
    var i = 0
    var found = false
    while (i < Spheres && !found) {
      val t = distance(i, px, py, pz, lx, ly, lz)
      found = t > Epsilon && t < far
      i += 1
    }
    found
  }

  private def colour(light: Double): Byte = {
    val c = if (light < 0) 0.0 else if (light > 1) 1.0 else light
    math.floor(255 * math.sqrt(c) + 0.5).toByte
  }
}
