<?php

declare(strict_types=1);

namespace Samewire\Report;

use CurlHandle;
use RuntimeException;

/** The two servers that a report is made from. */
final class Upstreams
{
    private const TODOS = ['/todos?limit=100', 'application/json', 1_048_576];
    private const IMAGE = ['/render?width=320&height=240&depth=3', 'image/png', 16_777_216];

    // #region report.fetch-both
    /**
     * Asks both at the same time. The first failure ends the report, and both connections.
     *
     * @return array{string, string} JSON and image
     */
    public function fetch(): array
    {
        $json = $image = '';
        $exchanges = curl_multi_init();
        curl_multi_add_handle($exchanges, self::get(getenv('TODO_URL'), ...self::TODOS, body: $json));
        curl_multi_add_handle($exchanges, self::get(getenv('RAYTRACER_URL'), ...self::IMAGE, body: $image));
        do {
            $status = curl_multi_exec($exchanges, $running);
            while ($done = curl_multi_info_read($exchanges)) {
                self::check($done['handle'], $done['result']);
            }
            if ($running) {
                curl_multi_select($exchanges);
            }
        } while ($running && $status === CURLM_OK);

        return $status === CURLM_OK ? [$json, $image] : throw new RuntimeException(curl_multi_strerror($status));
    }

    private static function get(string $server, string $path, string $type, int $maxBytes, string &$body): CurlHandle
    {
        $lengths = 0;
        $exchange = curl_init($server . $path);
        curl_setopt_array($exchange, [
            CURLOPT_PRIVATE => $type,
            CURLOPT_PROXY => '',
            CURLOPT_TIMEOUT_MS => (int) getenv('UPSTREAM_TIMEOUT_MS'), // from connecting to the last byte
            CURLOPT_ENCODING => 'identity', // what is coded nevertheless is decoded
            CURLOPT_HEADERFUNCTION => static function ($exchange, string $line) use (&$lengths): int {
                $lengths += (int) (stripos($line, 'Content-Length:') === 0);

                return $lengths < 2 ? strlen($line) : -1; // curl would take one of two for the right one
            },
            CURLOPT_WRITEFUNCTION => static function ($exchange, string $bytes) use (&$body, $maxBytes): int {
                $body .= $bytes;

                return strlen($body) <= $maxBytes ? strlen($bytes) : -1; // -1 ends the exchange
            },
        ]);

        return $exchange;
    }
    // #endregion report.fetch-both

    private static function check(CurlHandle $exchange, int $result): void
    {
        $expected = curl_getinfo($exchange, CURLINFO_PRIVATE);
        $status = curl_getinfo($exchange, CURLINFO_RESPONSE_CODE);
        $type = strtolower(strtok((string) curl_getinfo($exchange, CURLINFO_CONTENT_TYPE), '; ') ?: 'none');
        $fault = match (true) {
            $result !== CURLE_OK => curl_strerror($result),
            $status !== 200 => "its status is $status",
            $type !== $expected => "its media type is $type",
            curl_getinfo($exchange, CURLINFO_SIZE_DOWNLOAD_T) === 0 => 'it has no body', // or half a head
            default => null,
        };
        if ($fault !== null) {
            $url = curl_getinfo($exchange, CURLINFO_EFFECTIVE_URL);
            // All processes together leave one line a minute.
            if (apcu_add("bad-$url", true, ttl: 60)) {
                trigger_error("$url: $fault", E_USER_WARNING);
            }
            throw $result === CURLE_OPERATION_TIMEDOUT
                ? new Problem(504, 'An upstream is late.')
                : new Problem(502, 'The answer of an upstream is bad.');
        }
    }
}
