<?php

declare(strict_types=1);

namespace Samewire\Raytracer\Tests;

use PHPUnit\Framework\TestCase;
use Samewire\Raytracer\Png;

final class PngTest extends TestCase
{
    public function testARowBeginsWithItsFilter(): void
    {
        $png = Png::encode(2, 2, 'rgbrgbRGBRGB');

        self::assertSame(['width' => 2, 'height' => 2], unpack('Nwidth/Nheight', $png, 16));
        $length = unpack('N', $png, 33)[1];
        self::assertSame('IDAT', substr($png, 37, 4));
        self::assertSame("\0rgbrgb\0RGBRGB", gzuncompress(substr($png, 41, $length)));
    }

    public function testPhpKnowsThePicture(): void
    {
        $png = Png::encode(3, 1, str_repeat("\0", 9));

        self::assertSame(
            [3, 1, IMAGETYPE_PNG, 'width="3" height="1"', 'bits' => 8, 'mime' => 'image/png'],
            getimagesizefromstring($png),
        );
    }
}
