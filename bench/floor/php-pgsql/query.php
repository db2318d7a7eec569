<?php

/** A lookup over and over on one connection: a process of Apache has one, and one request at a time. */

declare(strict_types=1);

/** User and system time of this process, in seconds. */
function cpu(): float
{
    $usage = getrusage();

    return $usage['ru_utime.tv_sec'] + $usage['ru_stime.tv_sec']
        + ($usage['ru_utime.tv_usec'] + $usage['ru_stime.tv_usec']) / 1e6;
}

$keys = file(getenv('KEYS'), FILE_IGNORE_NEW_LINES);
$connection = pg_pconnect(getenv('POSTGRES_URL'));
pg_prepare($connection, 'find', [
    'shortener' => 'select url from links where hash = $1',
    'todo' => 'select id, title, completed from todos where id = $1',
][getenv('SERVICE')]);
$ask = static fn (string $key): ?array => pg_fetch_row(pg_execute($connection, 'find', [$key])) ?: null;

$walk = static function (float $seconds) use ($keys, $ask): int {
    static $next = 0;
    $end = microtime(true) + $seconds;
    for ($queries = 0; microtime(true) < $end; $queries++) {
        $ask($keys[$next = ($next + 1) % count($keys)]) ?? throw new RuntimeException("nothing for $keys[$next]");
    }

    return $queries;
};

$walk((float) getenv('WARM_UP_S'));
$before = cpu();
$queries = $walk((float) getenv('MEASURE_S'));
echo json_encode(['queries' => $queries, 'cpu_s' => cpu() - $before]), "\n";
