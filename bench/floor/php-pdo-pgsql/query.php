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
$url = parse_url(getenv('POSTGRES_URL'));
// In milliseconds, for libpq.
putenv('PGOPTIONS=-c statement_timeout=5000');
$connection = new PDO(
    sprintf('pgsql:host=%s;port=%d;dbname=%s', $url['host'], $url['port'], substr($url['path'], 1)),
    $url['user'],
    $url['pass'] ?? null,
    [
        PDO::ATTR_PERSISTENT => true,
        PDO::ATTR_TIMEOUT => 5,
        PDO::ATTR_DEFAULT_FETCH_MODE => PDO::FETCH_ASSOC,
        PDO::ATTR_EMULATE_PREPARES => true,
    ],
);
$sql = [
    'shortener' => 'select url from links where hash = $1',
    'todo' => 'select id, title, completed from todos where id = $1',
][getenv('SERVICE')];
$connection->exec("prepare lookup as $sql");
$ask = static function (string $key) use ($connection): ?array {
    $statement = $connection->prepare('execute lookup(?)');
    $statement->execute([$key]);

    return $statement->fetch() ?: null;
};

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
