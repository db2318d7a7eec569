<?php

declare(strict_types=1);

namespace Samewire\Todo;

use PDO;
use PDOException;
use PDOStatement;

/** The one connection of this process: opened by its first request that needs it, kept for those that follow. */
final class Database
{
    // #region database.pool
    // start.php has put the rest into libpq's environment. A host that is gone is noticed within 5 s.
    private const DSN = 'pgsql:tcp_user_timeout=5000;keepalives_idle=2;keepalives_interval=1';

    private const OPTIONS = [
        PDO::ATTR_PERSISTENT => true,
        PDO::ATTR_TIMEOUT => 3, // seconds to connect; PDO tries a kept connection first, then a new one
        PDO::ATTR_DEFAULT_FETCH_MODE => PDO::FETCH_ASSOC,
        PDO::PGSQL_ATTR_DISABLE_PREPARES => true, // SQL and parameters in one round trip, still apart
    ];
    // #endregion database.pool

    // SQLSTATE: connection, resources, shut down; HY000 where there is none: the connection broke.
    private const AWAY = '/^(08|53|57P|HY000)/';
    private const STATEMENT_TIMEOUT = '57014';

    /** Tests give a connection. */
    public function __construct(private ?PDO $connection = null)
    {
    }

    /** Executes SQL with its named parameters: `execute('… where id = :id', id: 1)`. */
    public function execute(string $sql, int|string|bool|null ...$parameters): PDOStatement
    {
        try {
            $this->connection ??= self::connect();
            $statement = $this->connection->prepare($sql);
            foreach ($parameters as $name => $value) {
                $statement->bindValue($name, $value, is_bool($value) ? PDO::PARAM_BOOL : PDO::PARAM_STR);
            }
            $statement->execute();

            return $statement;
        } catch (PDOException $error) {
            $state = $error->errorInfo[0] ?? '';
            if ($state === self::STATEMENT_TIMEOUT) {
                throw new Problem(503, 'The database is busy.');
            }
            if (!preg_match(self::AWAY, $state)) {
                throw $error;
            }
            // All processes together leave one line a minute.
            if (apcu_add("database-away-$state", true, ttl: 60)) {
                trigger_error("PostgreSQL is away: {$error->getMessage()}", E_USER_WARNING);
            }
            throw new Problem(503, 'The database is away.');
        }
    }

    private static function connect(): PDO
    {
        $connection = new PDO(self::DSN, options: self::OPTIONS);
        try {
            // PDO looks at a kept connection, but may see only the database's farewell. This look sees the end.
            $connection->pgsqlGetNotify();
        } catch (PDOException) {
            $connection = new PDO(self::DSN, options: self::OPTIONS);
        }

        return $connection;
    }
}
