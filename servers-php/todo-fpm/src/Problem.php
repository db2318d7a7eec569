<?php

declare(strict_types=1);

namespace Samewire\Todo;

use RuntimeException;

/** What ends a request with an error (RFC 9457). */
final class Problem extends RuntimeException
{
    private const TITLES = [
        400 => 'Bad Request',
        404 => 'Not Found',
        405 => 'Method Not Allowed',
        413 => 'Content Too Large',
        415 => 'Unsupported Media Type',
        500 => 'Internal Server Error',
        503 => 'Service Unavailable',
    ];

    /** @param array<string, string> $headers */
    public function __construct(
        private readonly int $status,
        private readonly string $detail,
        private readonly array $headers = [],
    ) {
        parent::__construct($detail);
    }

    public static function methodNotAllowed(string $allowed): self
    {
        return new self(405, "Allowed are $allowed.", ['Allow' => $allowed]);
    }

    public function toResponse(): Response
    {
        return new Response(
            $this->status,
            ['title' => self::TITLES[$this->status], 'status' => $this->status, 'detail' => $this->detail],
            $this->headers,
            'application/problem+json',
        );
    }
}
