<?php

declare(strict_types=1);

namespace Samewire\Chat;

final class JsonBody
{
    private const MAX_BYTES = 65_536;

    public static function read(): string
    {
        if (!preg_match('~^application/json\s*(;|$)~i', $_SERVER['CONTENT_TYPE'] ?? '')) {
            throw new Problem(415, 'Content-Type must be application/json.');
        }
        $body = file_get_contents('php://input', length: self::MAX_BYTES + 1);

        return strlen($body) <= self::MAX_BYTES ? $body : throw new Problem(413, 'The body is over 65,536 bytes.');
    }
}
