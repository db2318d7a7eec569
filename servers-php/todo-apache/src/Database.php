<?php

declare(strict_types=1);

namespace Samewire\Todo;

use PDO;
use PDOException;
use PDOStatement;

/** The one connection of this process: opened by its first request that needs it, kept for all later ones. */
final class Database
{
    // Server, user and database are in libpq's environment: see start.php.
    private const DSN = 'pgsql:';

    private const OPTIONS = [
        PDO::ATTR_PERSISTENT => true,
        // Seconds for connecting.
        PDO::ATTR_TIMEOUT => 5,
        PDO::ATTR_DEFAULT_FETCH_MODE => PDO::FETCH_ASSOC,
        // PDO would prepare a statement in each request and drop it at its end: see execute().
        PDO::ATTR_EMULATE_PREPARES => true,
    ];

    private const NO_SUCH_STATEMENT = '26000';

    private ?PDO $connection = null;

    /** Executes the statement, which the connection keeps under its name, prepared, once it has met it. */
    public function execute(string $name, string $sql, ?string ...$parameters): PDOStatement
    {
        try {
            $this->connection ??= self::connect();
            try {
                return $this->executePrepared($name, $parameters);
            } catch (PDOException $failure) {
                if (($failure->errorInfo[0] ?? null) !== self::NO_SUCH_STATEMENT) {
                    throw $failure;
                }
            }
            $this->connection->exec("prepare $name as $sql");

            return $this->executePrepared($name, $parameters);
        } catch (PDOException $failure) {
            self::away($failure);
        }
    }

    /** @param list<string|null> $parameters */
    private function executePrepared(string $name, array $parameters): PDOStatement
    {
        $values = $parameters === [] ? '' : '(' . implode(', ', array_fill(0, count($parameters), '?')) . ')';
        $statement = $this->connection->prepare("execute $name$values");
        $statement->execute($parameters);

        return $statement;
    }

    private static function connect(): PDO
    {
        // PDO looks at what has arrived on a connection before it gives it out again, and replaces one that has ended.
        // That look may find the server's last words, and only another one the end: no request fails after the
        // database's return. It is the look for notifications, which costs less than a second `new PDO`.
        $connection = new PDO(self::DSN, options: self::OPTIONS);
        try {
            $connection->pgsqlGetNotify();
        } catch (PDOException) {
            $connection = new PDO(self::DSN, options: self::OPTIONS);
        }

        return $connection;
    }

    private static function away(PDOException $failure): never
    {
        // Classes 08, 53, 57: broken, out of resources, shut down or timed out. HY: no state, the connection broke.
        $class = substr((string) ($failure->errorInfo[0] ?? 'HY'), 0, 2);
        if (!in_array($class, ['08', '53', '57', 'HY'], true)) {
            throw $failure;
        }
        error_log('Database away: ' . strtok($failure->getMessage(), "\n"));

        throw Problem::unavailable();
    }
}
