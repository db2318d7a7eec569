<?php

declare(strict_types=1);

namespace Samewire\Shortener;

final class LinkController
{
    private const MAX_URL = 2_048;
    private const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

    public function __construct(private readonly LinkRepository $links)
    {
    }

    // #region shortener.lookup
    public function follow(string $hash): Response
    {
        $url = $this->links->find($hash);

        return $url === null ? new Response(404) : new Response(301, headers: ['Location' => $url]);
    }
    // #endregion shortener.lookup

    public function show(string $hash): Response
    {
        $url = $this->links->find($hash) ?? throw new Problem(404, 'No such link.');

        return new Response(200, ['hash' => $hash, 'url' => $url]);
    }

    // #region shortener.create
    public function create(string $json): Response
    {
        $url = self::url($json);
        do {
            $hash = self::randomHash();
        } while (!$this->links->insert($hash, $url)); // A hash that is taken keeps its link.

        return new Response(201, ['hash' => $hash, 'url' => $url], ['Location' => "/$hash"]);
    }
    // #endregion shortener.create

    public function health(): Response
    {
        $this->links->ping();

        return new Response(200, ['status' => 'ok']);
    }

    /** The member `url` of a JSON object. PHP's filter takes no control characters: they would end the Location. */
    public static function url(string $json): string
    {
        $url = json_decode($json)->url ?? null;
        $isUrl = is_string($url)
            && strlen($url) <= self::MAX_URL
            && preg_match('~^https?://~i', $url)
            && filter_var($url, FILTER_VALIDATE_URL);

        return $isUrl ? $url : throw new Problem(400, 'JSON is expected, with an http or https URL as its url.');
    }

    // #region shortener.create
    private static function randomHash(): string
    {
        return implode(array_map(fn () => self::ALPHABET[random_int(0, 61)], range(1, 6)));
    }
    // #endregion shortener.create
}
