<?php

/** Becomes Apache httpd, configured as for the copy, with the database's settings as the servers have them. */

declare(strict_types=1);

$database = parse_url(getenv('POSTGRES_URL'));
$environment = [
    'LISTEN' => getenv('HOST') . ':' . getenv('PORT'),
    'SERVER_ROOT' => __DIR__,
    'PID_FILE' => getenv('TMPDIR') . '/floor-apache-php-pdo-pgsql.pid',
    'PHP_INI_SCAN_DIR' => '',
    // What libpq takes from its environment; statement_timeout in milliseconds.
    'PGHOST' => $database['host'],
    'PGPORT' => $database['port'],
    'PGUSER' => $database['user'],
    'PGPASSWORD' => $database['pass'] ?? '',
    'PGDATABASE' => substr($database['path'], 1),
    'PGOPTIONS' => '-c statement_timeout=5000',
];
$configuration = dirname(__DIR__) . '/apache-php/apache.conf';
pcntl_exec('/usr/sbin/apache2', ['-D', 'FOREGROUND', '-f', $configuration], $environment + getenv());
exit(1);
