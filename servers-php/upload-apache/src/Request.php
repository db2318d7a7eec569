<?php

declare(strict_types=1);

namespace Samewire\Upload;

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

    /** The parts of a multipart body of at most so many bytes. */
    public function multipart(int $limit): MultipartReader
    {
        $type = $_SERVER['CONTENT_TYPE'] ?? '';
        $coding = strtolower($_SERVER['HTTP_CONTENT_ENCODING'] ?? 'identity');
        if (HeaderValue::first($type) !== 'multipart/form-data' || $coding !== 'identity') {
            throw new Problem(415, 'Content-Type must be multipart/form-data.');
        }
        if (($_SERVER['CONTENT_LENGTH'] ?? 0) > $limit) {
            throw Problem::tooLarge();
        }
        $boundary = HeaderValue::parameters($type)['boundary'] ?? '';
        if (preg_match('~^[0-9A-Za-z\'()+_,./:=? -]{0,69}[0-9A-Za-z\'()+_,./:=?-]$~D', $boundary) !== 1) {
            throw Problem::malformed();
        }

        return new MultipartReader((new RequestBody($limit))->read(...), $boundary);
    }
}
