<?php

declare(strict_types=1);

namespace Samewire\Raytracer;

/**
 * The picture of the contract (contract-tests/raytracer/README.md), bit for bit.
 *
 * The order of operations is the contract's: rearranging a sum changes pixels. One loop with local variables, because
 * in PHP a call costs more than what a small function would do here; opcache's JIT makes it several times faster.
 */
final class Raytracer
{
    // x, y, z, radius; in this order.
    private const SPHERES = [
        [0.1, 1.3, 1.4, 1.3],
        [-2.2, 0.9, 0.3, 0.9],
        [2.1, 0.75, -0.3, 0.75],
        [0.55, 0.45, -1.6, 0.45],
        [-0.95, 0.35, -1.9, 0.35],
        [-2.6, 1.0, 4.4, 1.0],
        [2.5, 1.2, 2.1, 1.2],
        [1.45, 0.28, -2.5, 0.28],
    ];

    // Of each sphere: red, green, blue, specular, squarings, mirror.
    private const MATERIALS = [
        [0.80, 0.82, 0.85, 0.9, 8, 0.90],
        [0.75, 0.06, 0.05, 0.6, 6, 0.06],
        [0.02, 0.30, 0.34, 0.6, 6, 0.06],
        [0.95, 0.47, 0.05, 0.8, 5, 0.20],
        [0.85, 0.80, 0.70, 0.0, 0, 0.0],
        [0.20, 0.38, 0.10, 0.0, 0, 0.0],
        [0.34, 0.10, 0.48, 0.6, 6, 0.55],
        [0.10, 0.28, 0.75, 0.4, 6, 0.0],
    ];

    // x, y, z, red, green, blue.
    private const LIGHTS = [
        [-7.0, 8.0, -5.0, 1.15, 0.96, 0.72],
        [6.0, 7.0, -4.0, 0.14, 0.20, 0.34],
    ];

    /** The whole picture: red, green, blue of every pixel, row by row from the top. */
    public static function render(int $width, int $height, int $depth): string
    {
        $pixels = '';
        for ($y = 0; $y < $height; $y++) {
            $pixels .= self::renderRow($width, $height, $depth, $y);
        }
        return $pixels;
    }

    /** The 3 × width bytes of row y. */
    public static function renderRow(int $width, int $height, int $depth, int $y): string
    {
        $row = '';
        $v = ($height - (2 * $y + 1)) / (float) $height * 0.52 - 0.17;
        for ($x = 0; $x < $width; $x++) {
            $u = ((2 * $x + 1) - $width) / (float) $height * 0.52;
            $length = \sqrt($u * $u + $v * $v + 1.0);
            $dx = $u / $length;
            $dy = $v / $length;
            $dz = 1.0 / $length;
            $px = 0.0;
            $py = 1.9;
            $pz = -6.6;
            $red = 0.0;
            $green = 0.0;
            $blue = 0.0;
            $weight = 1.0;

            for ($bounce = 0; ; $bounce++) {
                $hit = -2; // nothing; -1 is the ground
                $nearest = 1000.0;
                if ($dy < 0.0) {
                    $t = -$py / $dy;
                    if ($t > 0.0001 && $t < $nearest) {
                        $nearest = $t;
                        $hit = -1;
                    }
                }
                foreach (self::SPHERES as $i => [$sx, $sy, $sz, $radius]) {
                    $ox = $px - $sx;
                    $oy = $py - $sy;
                    $oz = $pz - $sz;
                    $b = $ox * $dx + $oy * $dy + $oz * $dz;
                    if ($b < 0.0) {
                        $c = $ox * $ox + $oy * $oy + $oz * $oz - $radius * $radius;
                        $q = $b * $b - $c;
                        if ($q > 0.0) {
                            $t = -$b - \sqrt($q);
                            if ($t > 0.0001 && $t < $nearest) {
                                $nearest = $t;
                                $hit = $i;
                            }
                        }
                    }
                }

                if ($hit === -2) {
                    $k = $dy > 0.0 ? 1.0 - $dy : 1.0;
                    $k = $k * $k;
                    $k = $k * $k;
                    $k = $k * $k;
                    $red = $red + $weight * (0.03 + 0.89 * $k);
                    $green = $green + $weight * (0.10 + 0.45 * $k);
                    $blue = $blue + $weight * (0.30 + 0.03 * $k);
                    break;
                }

                // Haze on the way there.
                $square = $nearest * $nearest;
                $haze = $square / ($square + 2000.0);
                $red = $red + $weight * $haze * 0.92;
                $green = $green + $weight * $haze * 0.55;
                $blue = $blue + $weight * $haze * 0.33;
                $weight = $weight * (1.0 - $haze);

                $px = $px + $dx * $nearest;
                $py = $py + $dy * $nearest;
                $pz = $pz + $dz * $nearest;
                if ($hit === -1) {
                    $nx = 0.0;
                    $ny = 1.0;
                    $nz = 0.0;
                    $tiles = \floor(0.8 * $px + 0.6 * $pz) + \floor(0.8 * $pz - 0.6 * $px);
                    if ($tiles - 2.0 * \floor($tiles / 2.0) === 0.0) {
                        $r = 0.55;
                        $g = 0.50;
                        $b = 0.44;
                    } else {
                        $r = 0.035;
                        $g = 0.03;
                        $b = 0.05;
                    }
                    $specular = 0.0;
                    $squarings = 0;
                    $mirror = 0.08;
                } else {
                    [$sx, $sy, $sz, $radius] = self::SPHERES[$hit];
                    $nx = ($px - $sx) / $radius;
                    $ny = ($py - $sy) / $radius;
                    $nz = ($pz - $sz) / $radius;
                    [$r, $g, $b, $specular, $squarings, $mirror] = self::MATERIALS[$hit];
                }

                $along = $dx * $nx + $dy * $ny + $dz * $nz;
                $rx = $dx - 2.0 * $along * $nx;
                $ry = $dy - 2.0 * $along * $ny;
                $rz = $dz - 2.0 * $along * $nz;

                $share = 0.0;
                if ($mirror > 0.0 && $bounce < $depth) {
                    $f = 1.0 + $along;
                    $f2 = $f * $f;
                    $share = $mirror + (1.0 - $mirror) * ($f2 * $f2 * $f);
                }

                $ambient = 0.05 + 0.04 * $ny;
                $lr = $r * $ambient;
                $lg = $g * $ambient;
                $lb = $b * $ambient * 1.5;
                foreach (self::LIGHTS as [$lx, $ly, $lz, $lightRed, $lightGreen, $lightBlue]) {
                    $lx = $lx - $px;
                    $ly = $ly - $py;
                    $lz = $lz - $pz;
                    $far = \sqrt($lx * $lx + $ly * $ly + $lz * $lz);
                    $lx = $lx / $far;
                    $ly = $ly / $far;
                    $lz = $lz / $far;
                    $facing = $nx * $lx + $ny * $ly + $nz * $lz;
                    if ($facing <= 0.0) {
                        continue;
                    }
                    foreach (self::SPHERES as [$sx, $sy, $sz, $radius]) {
                        $ox = $px - $sx;
                        $oy = $py - $sy;
                        $oz = $pz - $sz;
                        $q = $ox * $lx + $oy * $ly + $oz * $lz;
                        if ($q < 0.0) {
                            $c = $ox * $ox + $oy * $oy + $oz * $oz - $radius * $radius;
                            $t = $q * $q - $c;
                            if ($t > 0.0) {
                                $t = -$q - \sqrt($t);
                                if ($t > 0.0001 && $t < $far) {
                                    continue 2; // in the shadow of this sphere
                                }
                            }
                        }
                    }
                    $shine = 0.0;
                    if ($specular > 0.0) {
                        $toward = $rx * $lx + $ry * $ly + $rz * $lz;
                        if ($toward > 0.0) {
                            $shine = $toward;
                            for ($n = 0; $n < $squarings; $n++) {
                                $shine = $shine * $shine;
                            }
                            $shine = $shine * $specular;
                        }
                    }
                    $lr = $lr + ($r * $facing + $shine) * $lightRed;
                    $lg = $lg + ($g * $facing + $shine) * $lightGreen;
                    $lb = $lb + ($b * $facing + $shine) * $lightBlue;
                }

                $own = $weight * (1.0 - $share);
                $red = $red + $own * $lr;
                $green = $green + $own * $lg;
                $blue = $blue + $own * $lb;
                if ($share === 0.0) {
                    break;
                }
                $weight = $weight * $share;
                $dx = $rx;
                $dy = $ry;
                $dz = $rz;
            }

            $red = $red < 0.0 ? 0.0 : ($red > 1.0 ? 1.0 : $red);
            $green = $green < 0.0 ? 0.0 : ($green > 1.0 ? 1.0 : $green);
            $blue = $blue < 0.0 ? 0.0 : ($blue > 1.0 ? 1.0 : $blue);
            $row .= \chr((int) \floor(255.0 * \sqrt($red) + 0.5))
                . \chr((int) \floor(255.0 * \sqrt($green) + 0.5))
                . \chr((int) \floor(255.0 * \sqrt($blue) + 0.5));
        }
        return $row;
    }
}
