<?php

declare(strict_types=1);

namespace Samewire\Shortener;

use MongoDB\Driver\BulkWrite;
use MongoDB\Driver\Command;
use MongoDB\Driver\Exception\BulkWriteException;
use MongoDB\Driver\Exception\ConnectionTimeoutException;
use MongoDB\Driver\Exception\RuntimeException;
use MongoDB\Driver\Manager;
use MongoDB\Driver\Query;

/**
 * The one connection of this process: opened by its first request that needs
 * it; the driver keeps it, under URL and options, for the Manager of each
 * later request, and replaces one that died.
 */
final class Database
{
    private const OPTIONS = [
        'appName' => 'shortener-apache-mongodb',
        'connectTimeoutMS' => 5000,
        'serverSelectionTimeoutMS' => 5000,
        'socketTimeoutMS' => 5000,
    ];

    private const DUPLICATE_KEY = 11000;
    private const NO_SERVER_FOUND = 13053;

    private ?Manager $manager = null;

    public function ping(): void
    {
        $this->ask(static fn (Manager $manager) => $manager->executeCommand('admin', new Command(['ping' => 1])));
    }

    /**
     * @param array<string, mixed> $filter
     * @return array<string, mixed>|null
     */
    public function findOne(array $filter): ?array
    {
        return $this->ask(static function (Manager $manager) use ($filter): ?array {
            $cursor = $manager->executeQuery(
                getenv('MONGODB_COLLECTION'),
                new Query($filter, ['limit' => 1, 'singleBatch' => true]),
            );
            $cursor->setTypeMap(['root' => 'array']);

            return $cursor->toArray()[0] ?? null;
        });
    }

    /**
     * @param array<string, mixed> $document
     * @return bool false if its _id is taken
     */
    public function insert(array $document): bool
    {
        return $this->ask(static function (Manager $manager) use ($document): bool {
            $insert = new BulkWrite();
            $insert->insert($document);

            try {
                $manager->executeBulkWrite(getenv('MONGODB_COLLECTION'), $insert);

                return true;
            } catch (BulkWriteException $failure) {
                return $failure->getCode() === self::DUPLICATE_KEY ? false : throw $failure;
            }
        });
    }

    /**
     * @template Answer
     * @param callable(Manager): Answer $question
     * @return Answer
     */
    private function ask(callable $question): mixed
    {
        try {
            try {
                return $question($this->manager ??= new Manager(getenv('MONGODB_URL'), self::OPTIONS));
            } catch (ConnectionTimeoutException $failure) {
                if ($failure->getCode() !== self::NO_SERVER_FOUND) {
                    throw $failure;
                }

                return $question(self::briefManager());
            }
        } catch (RuntimeException $failure) {
            error_log('Database away: ' . $failure->getMessage());

            throw Problem::unavailable();
        }
    }

    /**
     * Who found no server does not look for one again within five seconds
     * (fixed in libmongoc): this one does, for this request alone.
     */
    private static function briefManager(): Manager
    {
        return new Manager(
            getenv('MONGODB_URL'),
            ['connectTimeoutMS' => 500, 'serverSelectionTimeoutMS' => 500] + self::OPTIONS,
            ['disableClientPersistence' => true],
        );
    }
}
