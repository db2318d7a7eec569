<?php

declare(strict_types=1);

namespace Samewire\Shortener;

use JsonException;

final class Request
{
    private const BODY_LIMIT = 8192;

    // The brackets of 64 levels and the values inside the innermost: json_decode() counts both.
    private const JSON_DEPTH = 65;

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

    /** The value of the JSON body, objects as arrays. */
    public function json(): mixed
    {
        $type = strtolower(trim(explode(';', $_SERVER['CONTENT_TYPE'] ?? '', 2)[0], " \t"));
        $coding = strtolower($_SERVER['HTTP_CONTENT_ENCODING'] ?? 'identity');
        if ($type !== 'application/json' || $coding !== 'identity') {
            throw new Problem(415, 'Content-Type must be application/json.');
        }

        try {
            return json_decode($this->body(), true, self::JSON_DEPTH, JSON_THROW_ON_ERROR);
        } catch (JsonException) {
            throw new Problem(400, 'Request body is not valid JSON.');
        }
    }

    private function body(): string
    {
        if (($_SERVER['CONTENT_LENGTH'] ?? 0) > self::BODY_LIMIT) {
            throw new Problem(413, 'Request body too large.');
        }

        // Read in one piece of that size: with larger ones PHP would make a temporary file.
        $input = fopen('php://input', 'rb');
        stream_set_chunk_size($input, self::BODY_LIMIT + 1);
        $body = stream_get_contents($input, self::BODY_LIMIT + 1);
        if (strlen($body) > self::BODY_LIMIT) {
            throw new Problem(413, 'Request body too large.');
        }

        // Apache says so in the status when it could not read the body to its end.
        return http_response_code() === 200 ? $body : throw new Problem(400, 'Request body is not valid JSON.');
    }
}
