<?php

declare(strict_types=1);

namespace Samewire\Randoms;

final class Response
{
    public readonly string $json;

    /**
     * @param ?array<string, mixed> $body
     * @param array<string, string> $headers
     */
    public function __construct(
        public readonly int $status,
        ?array $body = null,
        private readonly array $headers = [],
        private readonly string $type = 'application/json',
    ) {
        $this->json = $body === null ? '' : json_encode($body, JSON_THROW_ON_ERROR | JSON_UNESCAPED_SLASHES);
    }

    public function send(): void
    {
        http_response_code($this->status);
        foreach ($this->headers as $name => $value) {
            header("$name: $value");
        }
        header("Content-Type: $this->type");
        // #region randoms.compress
        ob_start();
        if (getenv('COMPRESSION') === 'on' && strlen($this->json) >= (int) getenv('COMPRESSION_MIN_BYTES')) {
            ob_start('ob_gzhandler'); // gzip for a client that takes it, and Vary for all
        }
        echo $this->json;
        while (ob_get_level() > 1) {
            ob_end_flush();
        }
        header('Content-Length: ' . ob_get_length());
        ob_end_flush();
        // #endregion randoms.compress
    }
}
