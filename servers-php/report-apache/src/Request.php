<?php

declare(strict_types=1);

namespace Samewire\Report;

final class Request
{
    /** @param list<string> $segments of the path, percent-decoded */
    private function __construct(public readonly string $method, public readonly array $segments)
    {
    }

    public static function current(): self
    {
        // The target as sent; in the absolute form it begins with scheme and authority.
        preg_match('~^(?:https?://[^/?#]*)?/?([^?#]*)~i', $_SERVER['REQUEST_URI'], $target);

        return new self($_SERVER['REQUEST_METHOD'], array_map(rawurldecode(...), explode('/', $target[1])));
    }

    public function isRead(): bool
    {
        return $this->method === 'GET' || $this->method === 'HEAD';
    }
}
