<?php

declare(strict_types=1);

namespace Samewire\Shortener;

use MongoDB\Driver\BulkWrite;
use MongoDB\Driver\Command;
use MongoDB\Driver\Exception\BulkWriteException;
use MongoDB\Driver\Exception\RuntimeException;
use MongoDB\Driver\Exception\ServerException;
use MongoDB\Driver\Manager;
use MongoDB\Driver\Query;

/**
 * The driver opens the one connection of this process when it is needed, and keeps it for requests that follow, unless
 * CONNECTIONS says otherwise.
 */
class LinkRepository
{
    // #region database.pool
    private const OPTIONS = [
        'appName' => 'shortener-apache-mongodb',
        'connectTimeoutMS' => 3000,
        'serverSelectionTimeoutMS' => 3000,
        'socketTimeoutMS' => 4500, // the driver reads once more after it
    ];
    // #endregion database.pool

    private const QUERY_OPTIONS = ['limit' => 1, 'singleBatch' => true, 'maxTimeMS' => 4000];

    private const DUPLICATE_KEY = 11000;

    // A server shuts down, or is not primary (the drivers' list of retryable errors), or is too slow (50).
    private const AWAY = [6, 7, 50, 89, 91, 189, 262, 9001, 10107, 11600, 11602, 13435, 13436];

    private readonly Manager $manager;

    // #region database.pool
    /** @param string $links the collection, as `database.collection` */
    public function __construct(string $url, private readonly string $links)
    {
        $isKept = getenv('CONNECTIONS') !== 'per-request';
        $this->manager = new Manager($url, self::OPTIONS, ['disableClientPersistence' => !$isKept]);
    }
    // #endregion database.pool

    // #region shortener.lookup
    public function find(string $hash): ?string
    {
        return $this->ask(function () use ($hash): ?string {
            $query = new Query(['_id' => $hash], self::QUERY_OPTIONS);

            return $this->manager->executeQuery($this->links, $query)->toArray()[0]->url ?? null;
        });
    }
    // #endregion shortener.lookup

    // #region shortener.create
    /** False if the hash is taken. */
    public function insert(string $hash, string $url): bool
    {
        return $this->ask(function () use ($hash, $url): bool {
            $write = new BulkWrite();
            $write->insert(['_id' => $hash, 'url' => $url]);
            try {
                $this->manager->executeBulkWrite($this->links, $write);

                return true;
            } catch (BulkWriteException $error) {
                return $error->getCode() === self::DUPLICATE_KEY ? false : throw $error;
            }
        });
    }
    // #endregion shortener.create

    public function ping(): void
    {
        $this->ask(fn () => $this->manager->executeCommand('admin', new Command(['ping' => 1])));
    }

    /**
     * @template Answer
     * @param callable(): Answer $question
     * @return Answer
     */
    private function ask(callable $question): mixed
    {
        try {
            return $question();
        } catch (RuntimeException $error) {
            if (!self::isAway($error)) {
                throw $error;
            }
            // All processes together leave one line a minute.
            if (apcu_add("database-away-{$error->getCode()}", true, ttl: 60)) {
                trigger_error("MongoDB is away: {$error->getMessage()}", E_USER_WARNING);
            }
            throw new Problem(503, 'The database is away.');
        }
    }

    /** Any error is of the way to the server, but for those that a server answers. */
    public static function isAway(RuntimeException $error): bool
    {
        $cause = $error->getPrevious() ?? $error; // a bulk write wraps what has failed

        return !$cause instanceof ServerException || in_array($cause->getCode(), self::AWAY, true);
    }
}
