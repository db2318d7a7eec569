<?php

declare(strict_types=1);

namespace Samewire\Report;

use RuntimeException;

/** What ends a request with an error response (RFC 9457). */
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
    public function __construct(
        private readonly int $status,
        private readonly string $detail,
        private readonly array $headers = [],
    ) {
        parent::__construct($detail);
    }

    public static function methodNotAllowed(string $allow): self
    {
        return new self(405, 'Method not allowed.', ['Allow' => $allow]);
    }

    public static function badUpstreamResponse(): self
    {
        return new self(502, 'Bad upstream response.');
    }

    public static function upstreamTimedOut(): self
    {
        return new self(504, 'Upstream timed out.');
    }

    public function response(): Response
    {
        return Response::json(
            $this->status,
            [
                'type' => 'about:blank',
                'title' => self::TITLES[$this->status],
                'status' => $this->status,
                'detail' => $this->detail,
            ],
            $this->headers,
            'application/problem+json',
        );
    }
}
