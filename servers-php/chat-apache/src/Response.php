<?php

declare(strict_types=1);

namespace Samewire\Chat;

final class Response
{
    /**
     * @param ?array<string, mixed> $body
     * @param array<string, string> $headers
     */
    public function __construct(
        public readonly int $status,
        public readonly ?array $body = null,
        public readonly array $headers = [],
        private readonly string $type = 'application/json',
    ) {
    }

    public function send(): void
    {
        http_response_code($this->status);
        foreach ($this->headers as $name => $value) {
            header("$name: $value");
        }
        if ($this->body !== null) {
            $json = json_encode($this->body, JSON_THROW_ON_ERROR | JSON_UNESCAPED_SLASHES | JSON_UNESCAPED_UNICODE);
            header("Content-Type: $this->type");
            header('Content-Length: ' . strlen($json)); // else a refusal ends only when the refused body does
            echo $json;
            if ($this->status >= 400) {
                flush(); // PHP reads a refused body to its end before it ends: the answer does not wait for that.
            }
        }
    }
}
