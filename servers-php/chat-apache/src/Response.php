<?php

declare(strict_types=1);

namespace Samewire\Chat;

final class Response
{
    // Only what JSON demands is escaped.
    private const JSON = JSON_THROW_ON_ERROR | JSON_UNESCAPED_SLASHES
        | JSON_UNESCAPED_UNICODE | JSON_UNESCAPED_LINE_TERMINATORS;

    /** @param array<string, string> $headers */
    public function __construct(
        private readonly int $status,
        private readonly array $headers = [],
        private readonly string $body = '',
    ) {
    }

    /**
     * @param array<string, mixed> $value
     * @param array<string, string> $headers
     */
    public static function json(
        int $status,
        array $value,
        array $headers = [],
        string $type = 'application/json'
    ): self {
        return new self(
            $status,
            ['Content-Type' => $type, ...$headers],
            json_encode($value, self::JSON),
        );
    }

    public function send(): void
    {
        // The status comes first: a Location would turn a 200 into a 302.
        http_response_code($this->status);
        foreach ($this->headers as $name => $value) {
            header("$name: $value");
        }
        header('Content-Length: ' . strlen($this->body));
        echo $this->body;

        // What is left of a request body is read and thrown away when PHP clears up: a refusal does not wait for it.
        if ($this->status >= 400) {
            flush();
        }
    }
}
