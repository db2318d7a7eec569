<?php

declare(strict_types=1);

namespace Samewire\Chat;

use JsonException;

final class Request
{
    private const BODY_LIMIT = 65536;

    // The brackets of 64 levels and the values inside the innermost: json_decode() counts both.
    private const JSON_DEPTH = 65;

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

    /**
     * The JSON body, which must be an object.
     *
     * @return array<string, mixed>
     */
    public function jsonObject(): array
    {
        $type = strtolower(trim(explode(';', $_SERVER['CONTENT_TYPE'] ?? '', 2)[0], " \t"));
        $coding = strtolower($_SERVER['HTTP_CONTENT_ENCODING'] ?? 'identity');
        if ($type !== 'application/json' || $coding !== 'identity') {
            throw new Problem(415, 'Content-Type must be application/json.');
        }

        $body = $this->body();
        try {
            $value = json_decode($body, true, self::JSON_DEPTH, JSON_THROW_ON_ERROR);
        } catch (JsonException) {
            throw new Problem(400, 'Request body is not valid JSON.');
        }

        // Objects are arrays here, and so are lists: the text tells them apart.
        return ltrim($body)[0] === '{' ? $value : throw new Problem(400, 'Request body must be an object.');
    }

    private function body(): string
    {
        if (($_SERVER['CONTENT_LENGTH'] ?? 0) > self::BODY_LIMIT) {
            throw new Problem(413, 'Request body too large.');
        }

        $body = file_get_contents('php://input', length: self::BODY_LIMIT + 1);
        if (strlen($body) > self::BODY_LIMIT) {
            throw new Problem(413, 'Request body too large.');
        }

        // Apache says so in the status when it could not read the body to its end.
        return http_response_code() === 200 ? $body : throw new Problem(400, 'Request body is not valid JSON.');
    }
}
