<?php

declare(strict_types=1);

namespace Samewire\Xorshift;

/** The draws of the contract (contract-tests/randoms/README.md): Marsaglia's xorshift on 32 bits. */
final class Xorshift
{
    private const BITS = 0xFFFFFFFF;

    /** The state after this one; PHP's integers have 64 bits, so what is shifted out is masked away. */
    public static function step(int $state): int
    {
        $state ^= ($state << 13) & self::BITS;
        $state ^= $state >> 17;

        return $state ^ (($state << 5) & self::BITS);
    }

    /** The number from 1 to 1000 that is drawn in this state. */
    public static function number(int $state): int
    {
        return 1 + $state % 1000;
    }

    /**
     * How often each of the numbers 1 to 1000 comes in so many draws.
     *
     * @return array<int, int>
     */
    public static function draw(int $count, int $seed): array
    {
        $counts = array_fill(1, 1000, 0);
        $state = $seed;
        for ($drawn = 0; $drawn < $count; $drawn++) {
            // step() and number() written out: two calls would cost more than what they do. An addition instead of an
            // increment: opcache's JIT makes more of it.
            $state ^= ($state << 13) & self::BITS;
            $state ^= $state >> 17;
            $state ^= ($state << 5) & self::BITS;
            $counts[1 + $state % 1000] += 1;
        }

        return $counts;
    }
}
