<?php

declare(strict_types=1);

namespace Samewire\Chat;

use RuntimeException;

final class JsonBody
{
    private const MAX_BYTES = 65_536;

    public static function read(): string
    {
        if (!preg_match('~^application/json\s*(;|$)~i', $_SERVER['CONTENT_TYPE'] ?? '')) {
            throw new Problem(415, 'Content-Type must be application/json.');
        }
        // A length that is too large is not waited for.
        if ((int) ($_SERVER['CONTENT_LENGTH'] ?? 0) > self::MAX_BYTES) {
            throw new Problem(413, 'The body is over 65,536 bytes.');
        }
        $input = fopen('php://input', 'rb');
        // One read takes it all: of a read in which the body breaks off, PHP gives nothing.
        stream_set_chunk_size($input, self::MAX_BYTES + 1);
        error_clear_last();
        $body = fread($input, self::MAX_BYTES + 1);
        if ($error = error_get_last()) {
            throw new RuntimeException($error['message']); // PHP cannot keep the body: what it gives is not all of it
        }

        return strlen($body) <= self::MAX_BYTES ? $body : throw new Problem(413, 'The body is over 65,536 bytes.');
    }
}
