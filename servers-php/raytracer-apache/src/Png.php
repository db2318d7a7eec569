<?php

declare(strict_types=1);

namespace Samewire\Raytracer;

/** Writes a PNG: 8-bit RGB, not interlaced, no filter. GD would take the pixels in one call each. */
final class Png
{
    /** @param string $pixels red, green, blue of every pixel, row by row from the top */
    public static function encode(int $width, int $height, string $pixels): string
    {
        $noFilter = "\0";
        $rows = $noFilter . implode($noFilter, str_split($pixels, 3 * $width));

        return "\x89PNG\r\n\x1A\n"
            . self::chunk('IHDR', pack('NNCCCCC', $width, $height, 8, 2, 0, 0, 0))
            . self::chunk('IDAT', gzcompress($rows))
            . self::chunk('IEND', '');
    }

    private static function chunk(string $type, string $data): string
    {
        return pack('N', strlen($data)) . $type . $data . pack('N', crc32($type . $data));
    }
}
