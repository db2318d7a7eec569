<?php

declare(strict_types=1);

namespace Samewire\Shortener;

class LinkRepository
{
    public function __construct(private readonly Database $database)
    {
    }

    // #region shortener.lookup
    public function find(string $hash): ?string
    {
        $sql = 'select url from links where hash = :hash';

        return $this->database->execute($sql, hash: $hash)->fetchColumn() ?: null;
    }
    // #endregion shortener.lookup

    // #region shortener.create
    /** False if the hash is taken. */
    public function insert(string $hash, string $url): bool
    {
        $sql = 'insert into links (hash, url) values (:hash, :url) on conflict do nothing';

        return $this->database->execute($sql, hash: $hash, url: $url)->rowCount() === 1;
    }
    // #endregion shortener.create

    public function ping(): void
    {
        $this->database->execute('select 1');
    }
}
