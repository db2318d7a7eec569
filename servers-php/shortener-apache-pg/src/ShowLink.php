<?php

declare(strict_types=1);

namespace Samewire\Shortener;

final class ShowLink
{
    public function __construct(private readonly Database $database)
    {
    }

    public function __invoke(string $hash): Response
    {
        $link = preg_match('/^[0-9A-Za-z]{6}$/D', $hash) === 1
            ? $this->database->execute('show_link', 'select hash, url from links where hash = $1', $hash)->fetch()
            : false;

        return $link === false ? throw new Problem(404, 'No such link.') : Response::json(200, $link);
    }
}
