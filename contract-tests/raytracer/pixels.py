"""The picture as the contract's pseudo-code (pixels.md) says, for the model: slow, so for small pictures only."""

from functools import cache
from math import floor, inf, sqrt

# x, y, z, radius, red, green, blue, specular, squarings, mirror
SPHERES = (
    (0.1, 1.3, 1.4, 1.3, 0.80, 0.82, 0.85, 0.9, 8, 0.90),
    (-2.2, 0.9, 0.3, 0.9, 0.75, 0.06, 0.05, 0.6, 6, 0.06),
    (2.1, 0.75, -0.3, 0.75, 0.02, 0.30, 0.34, 0.6, 6, 0.06),
    (0.55, 0.45, -1.6, 0.45, 0.95, 0.47, 0.05, 0.8, 5, 0.20),
    (-0.95, 0.35, -1.9, 0.35, 0.85, 0.80, 0.70, 0.0, 0, 0.0),
    (-2.6, 1.0, 4.4, 1.0, 0.20, 0.38, 0.10, 0.0, 0, 0.0),
    (2.5, 1.2, 2.1, 1.2, 0.34, 0.10, 0.48, 0.6, 6, 0.55),
    (1.45, 0.28, -2.5, 0.28, 0.10, 0.28, 0.75, 0.4, 6, 0.0),
)
# x, y, z, red, green, blue
LIGHTS = ((-7.0, 8.0, -5.0, 1.15, 0.96, 0.72), (6.0, 7.0, -4.0, 0.14, 0.20, 0.34))
EPSILON = 0.0001
FAR = 1000.0


@cache
def picture(width: int, height: int, depth: int) -> bytes:
    """The RGB bytes, row by row from the top."""
    return b"".join(pixel(width, height, depth, x, y) for y in range(height) for x in range(width))


def pixel(width: int, height: int, depth: int, x: int, y: int) -> bytes:
    """One pixel's three bytes."""
    u = ((2 * x + 1) - width) / height * 0.52
    v = (height - (2 * y + 1)) / height * 0.52 - 0.17
    length = sqrt(u * u + v * v + 1)
    dx, dy, dz = u / length, v / length, 1 / length
    px, py, pz = 0.0, 1.9, -6.6
    red = green = blue = 0.0
    weight = 1.0
    bounce = 0
    while True:
        hit, nearest = None, FAR
        if dy < 0 and EPSILON < (t := -py / dy) < nearest:
            hit, nearest = "ground", t
        for sphere in SPHERES:
            if EPSILON < (t := distance_to(sphere, px, py, pz, dx, dy, dz)) < nearest:
                hit, nearest = sphere, t
        if hit is None:
            k = 1 - dy if dy > 0 else 1.0
            for _ in range(3):
                k = k * k
            red = red + weight * (0.03 + 0.89 * k)
            green = green + weight * (0.10 + 0.45 * k)
            blue = blue + weight * (0.30 + 0.03 * k)
            break

        square = nearest * nearest
        haze = square / (square + 2000)
        red = red + weight * haze * 0.92
        green = green + weight * haze * 0.55
        blue = blue + weight * haze * 0.33
        weight = weight * (1 - haze)

        px, py, pz = px + dx * nearest, py + dy * nearest, pz + dz * nearest
        if hit == "ground":
            nx, ny, nz = 0.0, 1.0, 0.0
            tiles = floor(0.8 * px + 0.6 * pz) + floor(0.8 * pz - 0.6 * px)
            r, g, b = (0.55, 0.50, 0.44) if tiles % 2 == 0 else (0.035, 0.03, 0.05)
            specular, squarings, mirror = 0.0, 0, 0.08
        else:
            sx, sy, sz, radius, r, g, b, specular, squarings, mirror = hit
            nx, ny, nz = (px - sx) / radius, (py - sy) / radius, (pz - sz) / radius

        along = dx * nx + dy * ny + dz * nz
        rx, ry, rz = dx - 2 * along * nx, dy - 2 * along * ny, dz - 2 * along * nz
        share = 0.0
        if mirror > 0 and bounce < depth:
            f = 1 + along
            f2 = f * f
            share = mirror + (1 - mirror) * (f2 * f2 * f)

        ambient = 0.05 + 0.04 * ny
        lr, lg, lb = r * ambient, g * ambient, b * ambient * 1.5
        for light_x, light_y, light_z, light_red, light_green, light_blue in LIGHTS:
            lx, ly, lz = light_x - px, light_y - py, light_z - pz
            distance = sqrt(lx * lx + ly * ly + lz * lz)
            lx, ly, lz = lx / distance, ly / distance, lz / distance
            facing = nx * lx + ny * ly + nz * lz
            if facing > 0 and not shadowed(px, py, pz, lx, ly, lz, distance):
                shine = 0.0
                if specular > 0:
                    shine = max(0.0, rx * lx + ry * ly + rz * lz)
                    for _ in range(squarings):
                        shine = shine * shine
                    shine = shine * specular
                lr = lr + (r * facing + shine) * light_red
                lg = lg + (g * facing + shine) * light_green
                lb = lb + (b * facing + shine) * light_blue

        own = weight * (1 - share)
        red, green, blue = red + own * lr, green + own * lg, blue + own * lb
        if share == 0:
            break
        weight = weight * share
        dx, dy, dz = rx, ry, rz
        bounce += 1
    return bytes((colour(red), colour(green), colour(blue)))


def distance_to(sphere: tuple, px: float, py: float, pz: float, dx: float, dy: float, dz: float) -> float:
    """From a point along a direction to the sphere, seen from outside; infinity if it is missed."""
    sx, sy, sz, radius = sphere[:4]
    ox, oy, oz = px - sx, py - sy, pz - sz
    b = ox * dx + oy * dy + oz * dz
    if b >= 0:
        return inf
    c = ox * ox + oy * oy + oz * oz - radius * radius
    q = b * b - c
    return -b - sqrt(q) if q > 0 else inf


def shadowed(px: float, py: float, pz: float, lx: float, ly: float, lz: float, far: float) -> bool:
    """Whether a sphere is between the point and the light."""
    return any(EPSILON < distance_to(sphere, px, py, pz, lx, ly, lz) < far for sphere in SPHERES)


def colour(light: float) -> int:
    """What is shown of so much light."""
    return floor(255 * sqrt(min(max(light, 0.0), 1.0)) + 0.5)
