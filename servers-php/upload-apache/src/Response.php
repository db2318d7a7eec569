<?php

declare(strict_types=1);

namespace Samewire\Upload;

final class Response
{
    /**
     * @param string|resource|null $body a resource is a file
     * @param array<string, string|int> $headers
     */
    public function __construct(
        public readonly int $status,
        public readonly mixed $body = null,
        public readonly array $headers = [],
    ) {
    }

    /**
     * @param array<string, mixed> $body
     * @param array<string, string> $headers
     */
    public static function json(int $status, array $body, array $headers = []): self
    {
        $json = json_encode($body, JSON_THROW_ON_ERROR | JSON_UNESCAPED_SLASHES | JSON_UNESCAPED_UNICODE);

        // Without its length, a refusal ends only when the refused body does.
        $fields = ['Content-Type' => 'application/json', 'Content-Length' => strlen($json)];

        return new self($status, $json, [...$fields, ...$headers]);
    }

    public function send(): void
    {
        http_response_code($this->status);
        foreach ($this->headers as $name => $value) {
            header("$name: $value");
        }
        is_resource($this->body) ? fpassthru($this->body) : print $this->body;
        if ($this->status >= 400) {
            flush(); // PHP reads a refused body to its end before it ends: the answer does not wait for that.
        }
    }
}
