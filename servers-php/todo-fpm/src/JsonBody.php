<?php

declare(strict_types=1);

namespace Samewire\Todo;

use JsonException;
use RuntimeException;
use stdClass;

/** The body of a request, a JSON object. */
final class JsonBody
{
    private const MAX_BYTES = 65_536;

    public static function read(): stdClass
    {
        if (!self::isJson($_SERVER['CONTENT_TYPE'] ?? '')) {
            throw new Problem(415, 'Content-Type must be application/json.');
        }
        error_clear_last();
        $body = file_get_contents('php://input', length: self::MAX_BYTES + 1);
        if ($error = error_get_last()) {
            throw new RuntimeException($error['message']); // PHP cannot keep the body: what it gives is not all of it
        }
        if (strlen($body) > self::MAX_BYTES) {
            throw new Problem(413, 'The body must have at most 65,536 bytes.');
        }

        return self::parse($body);
    }

    public static function isJson(string $mediaType): bool
    {
        return preg_match('~^application/json\s*(;|$)~i', $mediaType) === 1;
    }

    public static function parse(string $json): stdClass
    {
        try {
            $value = json_decode($json, flags: JSON_THROW_ON_ERROR);
        } catch (JsonException $error) {
            throw new Problem(400, "The body is not JSON: {$error->getMessage()}.");
        }

        return $value instanceof stdClass ? $value : throw new Problem(400, 'The body must be an object.');
    }
}
