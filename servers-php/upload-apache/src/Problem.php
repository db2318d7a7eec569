<?php

declare(strict_types=1);

namespace Samewire\Upload;

use RuntimeException;

/** What ends a request with an error response (RFC 9457). */
final class Problem extends RuntimeException
{
    private const TITLES = [
        400 => 'Bad Request',
        404 => 'Not Found',
        405 => 'Method Not Allowed',
        413 => 'Content Too Large',
        415 => 'Unsupported Media Type',
        500 => 'Internal Server Error',
        507 => 'Insufficient Storage',
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

    public static function noSuchUpload(): self
    {
        return new self(404, 'No such upload.');
    }

    public static function malformed(): self
    {
        return new self(400, 'Malformed multipart body.');
    }

    public static function tooLarge(): self
    {
        return new self(413, 'Request body too large.');
    }

    public static function diskFull(): self
    {
        return new self(507, 'Insufficient storage.');
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
