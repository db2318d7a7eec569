<?php

declare(strict_types=1);

namespace Samewire\Report;

use CurlHandle;

/** One exchange with an upstream, and what its answer must be like. */
final class Exchange
{
    private const HEAD_LIMIT = 65536;

    public readonly CurlHandle $handle;

    public string $body = '';

    private ?string $objection = null;

    /** @var array<string, string> */
    private array $fields = [];

    private int $headLength = 0;

    private bool $headIsRead = false;

    public function __construct(
        public readonly string $url,
        private readonly string $type,
        private readonly int $limit,
        int $timeout,
    ) {
        $this->handle = curl_init($url);
        curl_setopt_array($this->handle, [
            CURLOPT_PROTOCOLS => CURLPROTO_HTTP,
            CURLOPT_HTTP_VERSION => CURL_HTTP_VERSION_1_1,
            CURLOPT_NOPROXY => '*',
            CURLOPT_NOSIGNAL => true,
            CURLOPT_FORBID_REUSE => true,
            // From connecting to the last byte of the body.
            CURLOPT_TIMEOUT_MS => $timeout,
            // Told by Content-Length; what comes without one is counted below.
            CURLOPT_MAXFILESIZE_LARGE => $limit,
            CURLOPT_HEADERFUNCTION => $this->readHeaderLine(...),
            CURLOPT_WRITEFUNCTION => $this->readBody(...),
        ]);
    }

    /** What is wrong with an exchange that has ended so, if anything. */
    public function failure(int $result): ?string
    {
        return match (true) {
            $this->objection !== null => $this->objection,
            $result !== CURLE_OK => curl_strerror($result),
            !$this->headIsRead => 'its head is not complete',
            default => null,
        };
    }

    /** Less than the length of the line ends the exchange. */
    private function readHeaderLine(CurlHandle $handle, string $line): int
    {
        if ($this->headIsRead) {
            // The trailers of a chunked body.
            return strlen($line);
        }
        $this->headLength += strlen($line);
        if ($this->headLength > self::HEAD_LIMIT) {
            return $this->reject('its head is too large');
        }
        if (trim($line) !== '') {
            [$name, $value] = explode(':', $line, 2) + [1 => ''];
            $name = strtolower($name);
            $before = $this->fields[$name] ?? null;
            // A field given twice is a list, and none of those below may be one.
            $this->fields[$name] = ($before === null ? '' : "$before, ") . trim($value);

            return strlen($line);
        }

        $status = curl_getinfo($handle, CURLINFO_RESPONSE_CODE);
        if ($status < 200) {
            // An interim answer: another head follows.
            $this->fields = [];

            return strlen($line);
        }
        $this->headIsRead = true;
        $objection = $this->objectionToHead($status);

        return $objection === null ? strlen($line) : $this->reject($objection);
    }

    private function objectionToHead(int $status): ?string
    {
        $type = strtolower(rtrim(explode(';', $this->fields['content-type'] ?? '', 2)[0]));
        $coding = strtolower($this->fields['content-encoding'] ?? 'identity');
        $length = $this->fields['content-length'] ?? '0';

        return match (true) {
            $status !== 200 => "its status is $status",
            $type !== $this->type => "its type is not $this->type",
            $coding !== 'identity' => 'it has a coding',
            preg_match('/^[0-9]+$/D', $length) !== 1 => 'its length is no number',
            default => null,
        };
    }

    /** Less than the length of the bytes ends the exchange. */
    private function readBody(CurlHandle $handle, string $bytes): int
    {
        if (strlen($this->body) + strlen($bytes) > $this->limit) {
            return $this->reject('its body is too large');
        }
        $this->body .= $bytes;

        return strlen($bytes);
    }

    private function reject(string $objection): int
    {
        $this->objection = $objection;

        return -1;
    }
}
