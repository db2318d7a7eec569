/**
 * The picture of the contract (contract-tests/raytracer/README.md), bit for bit.
 *
 * The order of operations is the contract's: rearranging a sum changes pixels. Numbers rather than vector objects, so
 * that nothing is allocated but the picture.
 */

const EPSILON = 0.0001;
const FAR = 1000;
const MISSED = Number.POSITIVE_INFINITY;

// What a ray meets; from 0 on it is a sphere.
const NOTHING = -2;
const GROUND = -1;

const SPHERES = 8;
const X = Float64Array.of(0.1, -2.2, 2.1, 0.55, -0.95, -2.6, 2.5, 1.45);
const Y = Float64Array.of(1.3, 0.9, 0.75, 0.45, 0.35, 1.0, 1.2, 0.28);
const Z = Float64Array.of(1.4, 0.3, -0.3, -1.6, -1.9, 4.4, 2.1, -2.5);
const RADIUS = Float64Array.of(1.3, 0.9, 0.75, 0.45, 0.35, 1.0, 1.2, 0.28);
const RED = Float64Array.of(0.8, 0.75, 0.02, 0.95, 0.85, 0.2, 0.34, 0.1);
const GREEN = Float64Array.of(0.82, 0.06, 0.3, 0.47, 0.8, 0.38, 0.1, 0.28);
const BLUE = Float64Array.of(0.85, 0.05, 0.34, 0.05, 0.7, 0.1, 0.48, 0.75);
const SPECULAR = Float64Array.of(0.9, 0.6, 0.6, 0.8, 0, 0, 0.6, 0.4);
const SQUARINGS = Int32Array.of(8, 6, 6, 5, 0, 0, 6, 6);
const MIRROR = Float64Array.of(0.9, 0.06, 0.06, 0.2, 0, 0, 0.55, 0);

const LIGHTS = 2;
const LIGHT_X = Float64Array.of(-7.0, 6.0);
const LIGHT_Y = Float64Array.of(8.0, 7.0);
const LIGHT_Z = Float64Array.of(-5.0, -4.0);
const LIGHT_RED = Float64Array.of(1.15, 0.14);
const LIGHT_GREEN = Float64Array.of(0.96, 0.2);
const LIGHT_BLUE = Float64Array.of(0.72, 0.34);

/** The whole picture: red, green, blue of every pixel, row by row from the top. */
export function render(width: number, height: number, depth: number): Uint8Array {
  const pixels = new Uint8Array(3 * width * height);
  for (let y = 0; y < height; y++) {
    renderRow(width, height, depth, y, pixels, 3 * width * y);
  }
  return pixels;
}

/** Puts the 3 × width bytes of row `y` into `pixels`, from `offset` on. */
export function renderRow(
  width: number,
  height: number,
  depth: number,
  y: number,
  pixels: Uint8Array,
  offset: number,
): void {
  const v = ((height - (2 * y + 1)) / height) * 0.52 - 0.17;
  for (let x = 0; x < width; x++) {
    const u = ((2 * x + 1 - width) / height) * 0.52;
    renderPixel(u, v, depth, pixels, offset + 3 * x);
  }
}

function renderPixel(u: number, v: number, depth: number, pixels: Uint8Array, offset: number): void {
  const length = Math.sqrt(u * u + v * v + 1);
  let dx = u / length;
  let dy = v / length;
  let dz = 1 / length;
  let px = 0;
  let py = 1.9;
  let pz = -6.6;
  let red = 0;
  let green = 0;
  let blue = 0;
  let weight = 1;

  for (let bounce = 0; ; bounce++) {
    let hit = NOTHING;
    let nearest = FAR;
    if (dy < 0) {
      const t = -py / dy;
      if (t > EPSILON && t < nearest) {
        nearest = t;
        hit = GROUND;
      }
    }
    for (let i = 0; i < SPHERES; i++) {
      const t = distance(i, px, py, pz, dx, dy, dz);
      if (t > EPSILON && t < nearest) {
        nearest = t;
        hit = i;
      }
    }

    if (hit === NOTHING) {
      let k = dy > 0 ? 1 - dy : 1;
      k = k * k;
      k = k * k;
      k = k * k;
      red = red + weight * (0.03 + 0.89 * k);
      green = green + weight * (0.1 + 0.45 * k);
      blue = blue + weight * (0.3 + 0.03 * k);
      break;
    }

    // Haze on the way there.
    const square = nearest * nearest;
    const haze = square / (square + 2000);
    red = red + weight * haze * 0.92;
    green = green + weight * haze * 0.55;
    blue = blue + weight * haze * 0.33;
    weight = weight * (1 - haze);

    px = px + dx * nearest;
    py = py + dy * nearest;
    pz = pz + dz * nearest;
    let nx = 0;
    let ny = 1;
    let nz = 0;
    let r = 0;
    let g = 0;
    let b = 0;
    let specular = 0;
    let squarings = 0;
    let mirror = 0.08;
    if (hit === GROUND) {
      const tiles = Math.floor(0.8 * px + 0.6 * pz) + Math.floor(0.8 * pz - 0.6 * px);
      const light = tiles - 2 * Math.floor(tiles / 2) === 0;
      r = light ? 0.55 : 0.035;
      g = light ? 0.5 : 0.03;
      b = light ? 0.44 : 0.05;
    } else {
      const radius = RADIUS[hit] as number;
      nx = (px - (X[hit] as number)) / radius;
      ny = (py - (Y[hit] as number)) / radius;
      nz = (pz - (Z[hit] as number)) / radius;
      r = RED[hit] as number;
      g = GREEN[hit] as number;
      b = BLUE[hit] as number;
      specular = SPECULAR[hit] as number;
      squarings = SQUARINGS[hit] as number;
      mirror = MIRROR[hit] as number;
    }

    const along = dx * nx + dy * ny + dz * nz;
    const rx = dx - 2 * along * nx;
    const ry = dy - 2 * along * ny;
    const rz = dz - 2 * along * nz;

    let share = 0;
    if (mirror > 0 && bounce < depth) {
      const f = 1 + along;
      const f2 = f * f;
      share = mirror + (1 - mirror) * (f2 * f2 * f);
    }

    const ambient = 0.05 + 0.04 * ny;
    let lr = r * ambient;
    let lg = g * ambient;
    let lb = b * ambient * 1.5;
    for (let i = 0; i < LIGHTS; i++) {
      let lx = (LIGHT_X[i] as number) - px;
      let ly = (LIGHT_Y[i] as number) - py;
      let lz = (LIGHT_Z[i] as number) - pz;
      const far = Math.sqrt(lx * lx + ly * ly + lz * lz);
      lx = lx / far;
      ly = ly / far;
      lz = lz / far;
      const facing = nx * lx + ny * ly + nz * lz;
      if (facing > 0 && !shadowed(px, py, pz, lx, ly, lz, far)) {
        let shine = 0;
        if (specular > 0) {
          const toward = rx * lx + ry * ly + rz * lz;
          if (toward > 0) {
            shine = toward;
            for (let n = 0; n < squarings; n++) {
              shine = shine * shine;
            }
            shine = shine * specular;
          }
        }
        lr = lr + (r * facing + shine) * (LIGHT_RED[i] as number);
        lg = lg + (g * facing + shine) * (LIGHT_GREEN[i] as number);
        lb = lb + (b * facing + shine) * (LIGHT_BLUE[i] as number);
      }
    }

    const own = weight * (1 - share);
    red = red + own * lr;
    green = green + own * lg;
    blue = blue + own * lb;
    if (share === 0) {
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
function distance(i: number, px: number, py: number, pz: number, dx: number, dy: number, dz: number): number {
  const ox = px - (X[i] as number);
  const oy = py - (Y[i] as number);
  const oz = pz - (Z[i] as number);
  const b = ox * dx + oy * dy + oz * dz;
  if (b >= 0) {
    return MISSED;
  }
  const radius = RADIUS[i] as number;
  const c = ox * ox + oy * oy + oz * oz - radius * radius;
  const q = b * b - c;
  return q > 0 ? -b - Math.sqrt(q) : MISSED;
}

/** Whether a sphere is between p and the light, which is `far` away along l. */
function shadowed(px: number, py: number, pz: number, lx: number, ly: number, lz: number, far: number): boolean {
  for (let i = 0; i < SPHERES; i++) {
    const t = distance(i, px, py, pz, lx, ly, lz);
    if (t > EPSILON && t < far) {
      return true;
    }
  }
  return false;
}

function colour(light: number): number {
  const c = light < 0 ? 0 : light > 1 ? 1 : light;
  return Math.floor(255 * Math.sqrt(c) + 0.5);
}
