<?php

declare(strict_types=1);

namespace Samewire\Randoms;

final class Request
{
    /**
     * @param list<string> $segments of the path, percent-decoded
     * @param array<string, string> $query of a parameter given twice the first value
     */
    private function __construct(
        public readonly string $method,
        public readonly array $segments,
        public readonly array $query,
    ) {
    }

    public static function current(): self
    {
        // The target as sent; in the absolute form it begins with scheme and authority.
        preg_match('~^(?:https?://[^/?#]*)?/?([^?#]*)\??([^#]*)~i', $_SERVER['REQUEST_URI'], $target);
        [, $path, $query] = $target;

        return new self(
            $_SERVER['REQUEST_METHOD'],
            array_map(rawurldecode(...), explode('/', $path)),
            self::parameters($query),
        );
    }

    /** @return array<string, string> */
    private static function parameters(string $query): array
    {
        $parameters = [];
        foreach (explode('&', $query) as $pair) {
            [$name, $value] = explode('=', $pair, 2) + [1 => ''];
            $parameters[urldecode($name)] ??= urldecode($value);
        }

        return $parameters;
    }

    public function isRead(): bool
    {
        return $this->method === 'GET' || $this->method === 'HEAD';
    }

    /** A parameter that must be an integer in a range; null if it is not there. */
    public function integer(string $name, int $least, int $most): ?int
    {
        $digits = $this->query[$name] ?? null;
        if ($digits === null) {
            return null;
        }
        // The cast stops at the first character that is no digit.
        $number = (int) $digits;

        return (string) $number === $digits && $number >= $least && $number <= $most
            ? $number
            : throw new Problem(400, "$name must be an integer from $least to $most.");
    }
}
