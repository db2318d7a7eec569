<?php

declare(strict_types=1);

namespace Samewire\Shortener;

use MongoDB\Driver\BulkWrite;
use MongoDB\Driver\Command;
use MongoDB\Driver\Exception\BulkWriteException;
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

    private ?Manager $manager = null;

    public function ping(): void
    {
        try {
            $this->manager()->executeCommand('admin', new Command(['ping' => 1]));
        } catch (RuntimeException $failure) {
            self::away($failure);
        }
    }

    /**
     * @param array<string, mixed> $filter
     * @return array<string, mixed>|null
     */
    public function findOne(array $filter): ?array
    {
        try {
            $cursor = $this->manager()->executeQuery(
                getenv('MONGODB_COLLECTION'),
                new Query($filter, ['limit' => 1, 'singleBatch' => true]),
            );
            $cursor->setTypeMap(['root' => 'array']);

            return $cursor->toArray()[0] ?? null;
        } catch (RuntimeException $failure) {
            self::away($failure);
        }
    }

    /**
     * @param array<string, mixed> $document
     * @return bool false if its _id is taken
     */
    public function insert(array $document): bool
    {
        $insert = new BulkWrite();
        $insert->insert($document);

        try {
            $this->manager()->executeBulkWrite(getenv('MONGODB_COLLECTION'), $insert);

            return true;
        } catch (BulkWriteException $failure) {
            return $failure->getCode() === self::DUPLICATE_KEY ? false : self::away($failure);
        } catch (RuntimeException $failure) {
            self::away($failure);
        }
    }

    private function manager(): Manager
    {
        return $this->manager ??= new Manager(getenv('MONGODB_URL'), self::OPTIONS);
    }

    private static function away(RuntimeException $failure): never
    {
        error_log('Database away: ' . $failure->getMessage());

        throw Problem::unavailable();
    }
}
