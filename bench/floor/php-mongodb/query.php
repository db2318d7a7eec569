<?php

/** A lookup over and over on one connection: a process of Apache has one, and one request at a time. */

declare(strict_types=1);

use MongoDB\Driver\Manager;
use MongoDB\Driver\Query;

/** User and system time of this process, in seconds. */
function cpu(): float
{
    $usage = getrusage();

    return $usage['ru_utime.tv_sec'] + $usage['ru_stime.tv_sec']
        + ($usage['ru_utime.tv_usec'] + $usage['ru_stime.tv_usec']) / 1e6;
}

$keys = file(getenv('KEYS'), FILE_IGNORE_NEW_LINES);
$manager = new Manager(getenv('MONGODB_URL'), [
    'connectTimeoutMS' => 5000,
    'serverSelectionTimeoutMS' => 5000,
    'socketTimeoutMS' => 5000,
]);
$links = ltrim(parse_url(getenv('MONGODB_URL'), PHP_URL_PATH), '/') . '.links';
$ask = static function (string $key) use ($manager, $links): ?array {
    $cursor = $manager->executeQuery($links, new Query(['_id' => $key], ['limit' => 1, 'singleBatch' => true]));
    $cursor->setTypeMap(['root' => 'array']);

    return $cursor->toArray()[0] ?? null;
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
