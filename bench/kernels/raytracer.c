/*
 * The reference of the raytracer's arithmetic: contract-tests/raytracer/README.md, line by line.
 *
 *     gcc -std=c11 -O2 -ffp-contract=off -Wall -Wextra -o raytracer raytracer.c -lm
 *     ./raytracer 640 480 5 > picture.rgb        three bytes a pixel, row by row from the top
 *     ./raytracer 640 480 5 --rounds 9           the processor seconds of each of 9 pictures, a line each, and no picture
 *
 * Without -ffp-contract=off a compiler may fuse a product and a sum into one rounding, and pixels change.
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct sphere {
    double x, y, z, radius;
    double red, green, blue;
    double specular;
    int squarings; /* the specular exponent is 2 to this power */
    double mirror;
};

struct light {
    double x, y, z;
    double red, green, blue;
};

static const struct sphere spheres[] = {
    /* centre, radius              colour              specular  squarings  mirror */
    {0.1, 1.3, 1.4, 1.3,           0.80, 0.82, 0.85,   0.9, 8,   0.90}, /* silver, a mirror */
    {-2.2, 0.9, 0.3, 0.9,          0.75, 0.06, 0.05,   0.6, 6,   0.06}, /* red, glossy */
    {2.1, 0.75, -0.3, 0.75,        0.02, 0.30, 0.34,   0.6, 6,   0.06}, /* teal, glossy */
    {0.55, 0.45, -1.6, 0.45,       0.95, 0.47, 0.05,   0.8, 5,   0.20}, /* amber, glossy */
    {-0.95, 0.35, -1.9, 0.35,      0.85, 0.80, 0.70,   0.0, 0,   0.0},  /* ivory, matte */
    {-2.6, 1.0, 4.4, 1.0,          0.20, 0.38, 0.10,   0.0, 0,   0.0},  /* green, matte */
    {2.5, 1.2, 2.1, 1.2,           0.34, 0.10, 0.48,   0.6, 6,   0.55}, /* violet, half a mirror */
    {1.45, 0.28, -2.5, 0.28,       0.10, 0.28, 0.75,   0.4, 6,   0.0},  /* blue, with a highlight only */
};
enum { SPHERES = sizeof spheres / sizeof spheres[0] };

static const struct light lights[] = {
    {-7.0, 8.0, -5.0,   1.15, 0.96, 0.72}, /* warm, from the left */
    {6.0, 7.0, -4.0,    0.14, 0.20, 0.34}, /* cool and weak, from the right */
};
enum { LIGHTS = sizeof lights / sizeof lights[0] };

static const double EPSILON = 0.0001;
static const double FAR = 1000.0;

static int shadowed(double px, double py, double pz, double lx, double ly, double lz, double distance)
{
    for (int i = 0; i < SPHERES; i++) {
        const struct sphere *s = &spheres[i];
        double ox = px - s->x, oy = py - s->y, oz = pz - s->z;
        double b = ox * lx + oy * ly + oz * lz;
        if (b < 0.0) {
            double c = ox * ox + oy * oy + oz * oz - s->radius * s->radius;
            double q = b * b - c;
            if (q > 0.0) {
                double t = -b - sqrt(q);
                if (t > EPSILON && t < distance)
                    return 1;
            }
        }
    }
    return 0;
}

static uint8_t colour(double light)
{
    double c = light < 0.0 ? 0.0 : light > 1.0 ? 1.0 : light;
    return (uint8_t)floor(255.0 * sqrt(c) + 0.5);
}

static void render_row(int width, int height, int depth, int y, uint8_t *row)
{
    double v = (height - (2 * y + 1)) / (double)height * 0.52 - 0.17;

    for (int x = 0; x < width; x++) {
        double u = ((2 * x + 1) - width) / (double)height * 0.52;
        double px = 0.0, py = 1.9, pz = -6.6;
        double length = sqrt(u * u + v * v + 1.0);
        double dx = u / length, dy = v / length, dz = 1.0 / length;
        double red = 0.0, green = 0.0, blue = 0.0, weight = 1.0;

        for (int bounce = 0;; bounce++) {
            int hit = -2; /* nothing; -1 is the ground */
            double nearest = FAR;
            if (dy < 0.0) {
                double t = -py / dy;
                if (t > EPSILON && t < nearest) {
                    nearest = t;
                    hit = -1;
                }
            }
            for (int i = 0; i < SPHERES; i++) {
                const struct sphere *s = &spheres[i];
                double ox = px - s->x, oy = py - s->y, oz = pz - s->z;
                double b = ox * dx + oy * dy + oz * dz;
                if (b < 0.0) {
                    double c = ox * ox + oy * oy + oz * oz - s->radius * s->radius;
                    double q = b * b - c;
                    if (q > 0.0) {
                        double t = -b - sqrt(q);
                        if (t > EPSILON && t < nearest) {
                            nearest = t;
                            hit = i;
                        }
                    }
                }
            }

            if (hit == -2) {
                double k = dy > 0.0 ? 1.0 - dy : 1.0;
                k = k * k;
                k = k * k;
                k = k * k;
                red = red + weight * (0.03 + 0.89 * k);
                green = green + weight * (0.10 + 0.45 * k);
                blue = blue + weight * (0.30 + 0.03 * k);
                break;
            }

            /* the air between */
            double far2 = nearest * nearest;
            double haze = far2 / (far2 + 2000.0);
            red = red + weight * haze * 0.92;
            green = green + weight * haze * 0.55;
            blue = blue + weight * haze * 0.33;
            weight = weight * (1.0 - haze);

            px = px + dx * nearest;
            py = py + dy * nearest;
            pz = pz + dz * nearest;
            double nx, ny, nz, r, g, b, specular, mirror;
            int squarings;
            if (hit == -1) {
                nx = 0.0;
                ny = 1.0;
                nz = 0.0;
                double tiles = floor(0.8 * px + 0.6 * pz) + floor(0.8 * pz - 0.6 * px);
                if (tiles - 2.0 * floor(tiles / 2.0) == 0.0) {
                    r = 0.55;
                    g = 0.50;
                    b = 0.44;
                } else {
                    r = 0.035;
                    g = 0.03;
                    b = 0.05;
                }
                specular = 0.0;
                squarings = 0;
                mirror = 0.08;
            } else {
                const struct sphere *s = &spheres[hit];
                nx = (px - s->x) / s->radius;
                ny = (py - s->y) / s->radius;
                nz = (pz - s->z) / s->radius;
                r = s->red;
                g = s->green;
                b = s->blue;
                specular = s->specular;
                squarings = s->squarings;
                mirror = s->mirror;
            }

            double along = dx * nx + dy * ny + dz * nz;
            double rx = dx - 2.0 * along * nx;
            double ry = dy - 2.0 * along * ny;
            double rz = dz - 2.0 * along * nz;

            double share = 0.0;
            if (mirror > 0.0 && bounce < depth) {
                double f = 1.0 + along;
                double f2 = f * f;
                share = mirror + (1.0 - mirror) * (f2 * f2 * f);
            }

            double ambient = 0.05 + 0.04 * ny;
            double lr = r * ambient, lg = g * ambient, lb = b * ambient * 1.5;
            for (int i = 0; i < LIGHTS; i++) {
                const struct light *light = &lights[i];
                double lx = light->x - px, ly = light->y - py, lz = light->z - pz;
                double distance = sqrt(lx * lx + ly * ly + lz * lz);
                lx = lx / distance;
                ly = ly / distance;
                lz = lz / distance;
                double facing = nx * lx + ny * ly + nz * lz;
                if (facing > 0.0 && !shadowed(px, py, pz, lx, ly, lz, distance)) {
                    double shine = 0.0;
                    if (specular > 0.0) {
                        shine = rx * lx + ry * ly + rz * lz;
                        if (shine > 0.0) {
                            for (int n = 0; n < squarings; n++)
                                shine = shine * shine;
                            shine = shine * specular;
                        } else {
                            shine = 0.0;
                        }
                    }
                    lr = lr + (r * facing + shine) * light->red;
                    lg = lg + (g * facing + shine) * light->green;
                    lb = lb + (b * facing + shine) * light->blue;
                }
            }

            double own = weight * (1.0 - share);
            red = red + own * lr;
            green = green + own * lg;
            blue = blue + own * lb;
            if (share == 0.0)
                break;
            weight = weight * share;
            dx = rx;
            dy = ry;
            dz = rz;
        }

        row[3 * x] = colour(red);
        row[3 * x + 1] = colour(green);
        row[3 * x + 2] = colour(blue);
    }
}

int main(int argc, char **argv)
{
    if (argc != 4 && !(argc == 6 && strcmp(argv[4], "--rounds") == 0)) {
        fprintf(stderr, "usage: %s WIDTH HEIGHT DEPTH [--rounds N]\n", argv[0]);
        return 2;
    }
    int width = atoi(argv[1]), height = atoi(argv[2]), depth = atoi(argv[3]);
    int rounds = argc == 6 ? atoi(argv[5]) : 1;
    size_t size = (size_t)width * height * 3;
    uint8_t *picture = malloc(size);
    if (picture == NULL)
        return 1;
    for (int round = 0; round < rounds; round++) {
        clock_t begin = clock();
        for (int y = 0; y < height; y++)
            render_row(width, height, depth, y, picture + (size_t)y * width * 3);
        if (argc == 6)
            printf("%.6f\n", (double)(clock() - begin) / CLOCKS_PER_SEC);
    }
    if (argc == 4 && fwrite(picture, 1, size, stdout) != size)
        return 1;
    return 0;
}
