<?php

declare(strict_types=1);

namespace Samewire\Chat;

final class Number
{
    /** A non-negative 64-bit integer from decimal digits without leading zeros; null if it is none. */
    public static function parse(string $digits): ?int
    {
        // The cast stops at the largest integer and at the first character that is no digit.
        $number = (int) $digits;

        return $number >= 0 && (string) $number === $digits ? $number : null;
    }
}
