<?php

declare(strict_types=1);

namespace Samewire\Report;

final class Response
{
    /** @param array<string, string> $headers */
    public function __construct(
        public readonly int $status,
        public readonly string $body,
        public readonly string $type,
        public readonly array $headers = [],
    ) {
    }

    public function send(): void
    {
        http_response_code($this->status);
        foreach ($this->headers as $name => $value) {
            header("$name: $value");
        }
        header("Content-Type: $this->type");
        header('Content-Length: ' . strlen($this->body));
        echo $this->body;
    }
}
