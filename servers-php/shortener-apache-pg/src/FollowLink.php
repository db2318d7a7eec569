<?php

declare(strict_types=1);

namespace Samewire\Shortener;

final class FollowLink
{
    public function __construct(private readonly Database $database)
    {
    }

    // #region shortener.lookup
    public function __invoke(string $hash): Response
    {
        if (preg_match('/^[0-9A-Za-z]{6}$/D', $hash) !== 1) {
            return new Response(404);
        }

        $link = $this->database->execute('follow_link', 'select url from links where hash = $1', $hash)->fetch();

        return $link === false ? new Response(404) : new Response(301, ['Location' => $link['url']]);
    }
    // #endregion shortener.lookup
}
