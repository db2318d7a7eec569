<?php

declare(strict_types=1);

namespace Samewire\Todo;

use ErrorException;
use PgSql\Connection;
use PgSql\Result;
use RuntimeException;

/** The one connection of this process: opened by its first request that needs it, kept for all later ones. */
final class Database
{
    private const UNKNOWN_STATEMENT = '26000';

    private ?Connection $connection = null;

    /** Runs a statement, which is prepared when this connection first meets it. */
    public function execute(string $sql, ?string ...$parameters): Result
    {
        // Named after its text: what bears the name on a connection is this statement.
        $name = hash('xxh3', $sql);

        try {
            $this->connection ??= self::connect();
            $result = $this->result(pg_send_execute($this->connection, $name, $parameters));
            if (pg_result_error_field($result, PGSQL_DIAG_SQLSTATE) === self::UNKNOWN_STATEMENT) {
                self::check($this->result(pg_send_prepare($this->connection, $name, $sql)));
                $result = $this->result(pg_send_execute($this->connection, $name, $parameters));
            }
        } catch (ErrorException $warning) {
            self::away($warning->getMessage());
        }
        self::check($result);

        return $result;
    }

    private static function connect(): Connection
    {
        // Resets the session with a round trip, and so finds out whether the connection still lives.
        $connection = pg_pconnect(getenv('POSTGRES_URL'));

        // Asked for again, a dead one is opened anew: after the database's return no request fails.
        return pg_connection_status($connection) === PGSQL_CONNECTION_OK
            ? $connection
            : pg_pconnect(getenv('POSTGRES_URL'));
    }

    private function result(bool $sent): Result
    {
        $result = $sent ? pg_get_result($this->connection) : false;

        return $result !== false ? $result : self::away(pg_last_error($this->connection));
    }

    private static function check(Result $result): void
    {
        if (in_array(pg_result_status($result), [PGSQL_TUPLES_OK, PGSQL_COMMAND_OK], true)) {
            return;
        }
        $state = pg_result_error_field($result, PGSQL_DIAG_SQLSTATE);
        $message = pg_result_error($result);

        // No state: the connection broke. Classes 08, 53, 57: broken, out of resources, shut down or timed out.
        match (substr((string) $state, 0, 2)) {
            '', '08', '53', '57' => self::away($message),
            default => throw new RuntimeException($message),
        };
    }

    private static function away(string $reason): never
    {
        error_log('Database away: ' . strtok($reason, "\n"));

        throw Problem::unavailable();
    }
}
