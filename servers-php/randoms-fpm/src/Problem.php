<?php

declare(strict_types=1);

namespace Samewire\Randoms;

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

    public function toResponse(): Response
    {
        $problem = ['title' => self::TITLES[$this->code], 'status' => $this->code, 'detail' => $this->message];

        return new Response($this->code, $problem, $this->headers, 'application/problem+json');
    }
}
