<?php

declare(strict_types=1);

namespace Samewire\Todo;

final class Response
{
    private const JSON = JSON_THROW_ON_ERROR | JSON_UNESCAPED_SLASHES | JSON_UNESCAPED_UNICODE;

    /**
     * @param ?array<string, mixed> $body
     * @param array<string, string> $headers
     */
    public function __construct(
        public readonly int $status,
        public readonly ?array $body = null,
        public readonly array $headers = [],
        public readonly string $type = 'application/json',
    ) {
    }

    public function send(): void
    {
        $json = $this->body === null ? '' : json_encode($this->body, self::JSON);
        http_response_code($this->status);
        foreach ($this->headers as $name => $value) {
            header("$name: $value");
        }
        if ($this->body !== null) {
            header("Content-Type: $this->type");
            header('Content-Length: ' . strlen($json));
            echo $json;
        }
    }
}
