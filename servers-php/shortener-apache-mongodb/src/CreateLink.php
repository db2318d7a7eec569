<?php

declare(strict_types=1);

namespace Samewire\Shortener;

use RuntimeException;

final class CreateLink
{
    private const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
    private const URL = '~^https?://[A-Za-z0-9._-]+(:[0-9]{1,5})?([/?#][!-\~]*)?$~iD';

    public function __construct(private readonly Database $database)
    {
    }

    // #region shortener.create
    public function __invoke(Request $request): Response
    {
        $link = $request->json();
        if (!is_array($link) || array_keys($link) !== ['url']) {
            throw new Problem(400, 'Request body must be an object with the one member url.');
        }
        $url = $link['url'];
        if (!is_string($url) || strlen($url) > 2048 || preg_match(self::URL, $url) !== 1) {
            throw new Problem(400, 'url must be an absolute http or https URL of at most 2048 bytes.');
        }

        // A hash that is taken keeps its link: the next one is tried.
        for ($attempt = 0; $attempt < 10; $attempt++) {
            $hash = self::randomHash();
            if ($this->database->insert(['_id' => $hash, 'url' => $url])) {
                return Response::json(201, ['hash' => $hash, 'url' => $url], ['Location' => "/$hash"]);
            }
        }

        throw new RuntimeException('Ten random hashes in a row were taken.');
    }
    // #endregion shortener.create

    private static function randomHash(): string
    {
        $hash = '';
        for ($i = 0; $i < 6; $i++) {
            $hash .= self::ALPHABET[random_int(0, 61)];
        }

        return $hash;
    }
}
