<?php

declare(strict_types=1);

namespace Samewire\Report;

/** The two servers that a report is made from. */
final class Upstreams
{
    private const TODOS_LIMIT = 1_048_576;
    private const IMAGE_LIMIT = 16_777_216;

    public function __construct(
        private readonly string $todoUrl,
        private readonly string $raytracerUrl,
        private readonly int $timeout,
    ) {
    }

    // #region report.fetch-both
    /**
     * The items and the image, asked for at the same time. The first failure ends the request.
     *
     * @return array{list<object>, string}
     */
    public function fetch(): array
    {
        $todos = new Exchange(
            "$this->todoUrl/todos?limit=100",
            'application/json',
            self::TODOS_LIMIT,
            $this->timeout,
        );
        $image = new Exchange(
            "$this->raytracerUrl/render?width=320&height=240&depth=3",
            'image/png',
            self::IMAGE_LIMIT,
            $this->timeout,
        );

        $multi = curl_multi_init();
        curl_multi_add_handle($multi, $todos->handle);
        curl_multi_add_handle($multi, $image->handle);
        $items = [];
        try {
            curl_multi_exec($multi, $running);
            do {
                curl_multi_select($multi);
                curl_multi_exec($multi, $running);
                while (($done = curl_multi_info_read($multi)) !== false) {
                    $exchange = $done['handle'] === $todos->handle ? $todos : $image;
                    self::check($exchange, $done['result']);
                    if ($exchange === $todos) {
                        $items = Todos::parse($todos->body) ?? self::bad($todos, 'its JSON is not a list of todos');
                    }
                }
            } while ($running > 0);
        } finally {
            // Cuts what is unfinished.
            curl_multi_remove_handle($multi, $todos->handle);
            curl_multi_remove_handle($multi, $image->handle);
        }

        return [$items, $image->body];
    }
    // #endregion report.fetch-both

    private static function check(Exchange $exchange, int $result): void
    {
        if ($result === CURLE_OPERATION_TIMEDOUT) {
            error_log("Upstream timed out: $exchange->url");

            throw Problem::upstreamTimedOut();
        }
        $failure = $exchange->failure($result);
        if ($failure !== null) {
            self::bad($exchange, $failure);
        }
    }

    private static function bad(Exchange $exchange, string $reason): never
    {
        error_log("Bad upstream response: $exchange->url: $reason");

        throw Problem::badUpstreamResponse();
    }
}
