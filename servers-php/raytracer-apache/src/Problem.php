<?php

declare(strict_types=1);

namespace Samewire\Raytracer;

use RuntimeException;

/** What ends a request with an error (RFC 9457). */
final class Problem extends RuntimeException
{
    private const TITLES = [
        400 => 'Bad Request',
        404 => 'Not Found',
        405 => 'Method Not Allowed',
        500 => 'Internal Server Error',
    ];

    /** @param array<string, string> $headers */
    public function __construct(int $status, string $detail, private readonly array $headers = [])
    {
        parent::__construct($detail, $status);
    }

    public static function methodNotAllowed(string $allowed): self
    {
        return new self(405, "Allowed are $allowed.", ['Allow' => $allowed]);
    }

    public function toResponse(): Response
    {
        $problem = ['title' => self::TITLES[$this->code], 'status' => $this->code, 'detail' => $this->message];

        return new Response($this->code, json_encode($problem), 'application/problem+json', $this->headers);
    }
}
