<?php

declare(strict_types=1);

namespace Samewire\Raytracer\Tests;

use PHPUnit\Framework\TestCase;
use Samewire\Raytracer\PictureController;

final class PictureControllerTest extends TestCase
{
    private const QUERY = ['width' => '640', 'height' => '480', 'depth' => '0'];

    public function testTheSizeOfAPicture(): void
    {
        self::assertSame(
            ['width' => 640, 'height' => 480, 'depth' => 0],
            PictureController::parameters([...self::QUERY, 'unknown' => '1']),
        );
    }

    /**
     * @testWith ["width", null]
     *           ["width", ""]
     *           ["width", "0"]
     *           ["width", "1921"]
     *           ["width", "1e2"]
     *           ["width", ["1"]]
     *           ["height", "1081"]
     *           ["height", "-1"]
     *           ["depth", "11"]
     *           ["depth", "0.5"]
     */
    public function testAParameterOutOfItsRange(string $name, mixed $value): void
    {
        $this->expectExceptionCode(400);
        $this->expectExceptionMessageMatches("/^$name must be an integer/");
        PictureController::parameters([...self::QUERY, $name => $value]);
    }

    public function testHeadRendersNothing(): void
    {
        $response = (new PictureController())->describe(self::QUERY);

        self::assertSame('image/png', $response->type);
        self::assertSame('', $response->body);
    }
}
