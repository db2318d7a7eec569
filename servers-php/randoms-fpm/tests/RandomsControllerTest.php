<?php

declare(strict_types=1);

namespace Samewire\Randoms\Tests;

use PHPUnit\Framework\TestCase;
use Samewire\Randoms\RandomsController;

final class RandomsControllerTest extends TestCase
{
    public function testAResultLeavesOutWhatWasNotDrawn(): void
    {
        $response = (new RandomsController('none'))->draw(['count' => '3', 'seed' => '1']);

        self::assertSame(200, $response->status);
        $result = json_decode($response->json, true);
        self::assertSame(3, $result['count']);
        self::assertSame(3, array_sum($result['counts']));
        self::assertSame(1, $result['counts'][370]);
    }

    public function testNoDrawsAreAnEmptyObject(): void
    {
        $response = (new RandomsController('none'))->draw(['count' => '0', 'seed' => '1']);

        self::assertSame('{"count":0,"counts":{}}', $response->json);
    }

    public function testWithoutParametersAHundredMillionAreDrawnFromAnySeed(): void
    {
        [$count, $seed] = RandomsController::parameters([]);

        self::assertSame(100_000_000, $count);
        self::assertGreaterThanOrEqual(1, $seed);
        self::assertNotSame($seed, RandomsController::parameters([])[1]);
    }

    /**
     * @testWith ["count", ""]
     *           ["count", "-1"]
     *           ["count", "100000001"]
     *           ["count", "1e3"]
     *           ["count", ["1"]]
     *           ["seed", "0"]
     *           ["seed", "4294967296"]
     */
    public function testAParameterOutOfItsRange(string $name, mixed $value): void
    {
        $this->expectExceptionCode(400);
        $this->expectExceptionMessageMatches("/^$name must be an integer/");
        RandomsController::parameters([$name => $value]);
    }
}
