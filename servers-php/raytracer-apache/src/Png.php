<?php

declare(strict_types=1);

namespace Samewire\Raytracer;

/** Writes a PNG: 8-bit RGB, not interlaced, no filter (PNG, third edition, 5 and 11). */
final class Png
{
    private const SIGNATURE = "\x89PNG\r\n\x1A\n";
    private const BITS = 8;
    private const RGB = 2;
    private const NO_FILTER = "\0";

    /** @param string $pixels red, green, blue of every pixel, row by row from the top */
    public static function encode(int $width, int $height, string $pixels): string
    {
        $rows = self::NO_FILTER . implode(self::NO_FILTER, str_split($pixels, 3 * $width));

        return self::SIGNATURE
            . self::chunk('IHDR', pack('NNCCCCC', $width, $height, self::BITS, self::RGB, 0, 0, 0))
            . self::chunk('IDAT', gzcompress($rows))
            . self::chunk('IEND', '');
    }

    private static function chunk(string $type, string $data): string
    {
        return pack('N', strlen($data)) . $type . $data . pack('N', crc32($type . $data));
    }
}
