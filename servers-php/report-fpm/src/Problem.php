<?php

declare(strict_types=1);

namespace Samewire\Report;

use RuntimeException;

/** What ends a request with an error (RFC 9457). */
final class Problem extends RuntimeException
{
    private const TITLES = [
        404 => 'Not Found',
        405 => 'Method Not Allowed',
        500 => 'Internal Server Error',
        502 => 'Bad Gateway',
        504 => 'Gateway Timeout',
    ];

    /** @param array<string, string> $headers */
    public function __construct(int $status, string $detail, private readonly array $headers = [])
    {
        parent::__construct($detail, $status);
    }

    public function toResponse(): Response
    {
        $problem = ['title' => self::TITLES[$this->code], 'status' => $this->code, 'detail' => $this->message];

        return new Response($this->code, json_encode($problem), 'application/problem+json', $this->headers);
    }
}
