<?php

/** Checks the settings, then becomes serve.sh: the process that was started is the parent of PHP-FPM and Apache httpd. */

declare(strict_types=1);

// #region server.configure
$fail = static function (string $message): never {
    fwrite(STDERR, "todo-fpm: $message\n");
    exit(1);
};

$host = getenv('HOST') === false ? '127.0.0.1' : getenv('HOST');
if ($host === '' || !filter_var($host, FILTER_VALIDATE_IP) && !gethostbynamel($host)) {
    $fail('HOST must be an address, or a name that has one.');
}
$port = filter_var(getenv('PORT'), FILTER_VALIDATE_INT, ['options' => ['min_range' => 1, 'max_range' => 65535]])
    ?: $fail('PORT must be an integer from 1 to 65535.');
$url = parse_url((string) getenv('POSTGRES_URL'));
$database = rawurldecode(ltrim($url['path'] ?? '', '/'));
if (
    !in_array($url['scheme'] ?? '', ['postgres', 'postgresql'], true)
    || !isset($url['host'])
    || ($url['port'] ?? 5432) === 0
    || $database === ''
    || isset($url['query'])
) {
    $fail('POSTGRES_URL must be a URL like postgres://user:password@host:5432/database.');
}

// A socket's path has 107 bytes at most: there may be no room in a deep folder.
$folder = strlen(sys_get_temp_dir()) < 80 ? sys_get_temp_dir() : '/tmp';
$user = posix_geteuid();
$environment = [
    'LISTEN' => (str_contains($host, ':') ? "[$host]" : $host) . ":$port",
    'SERVER_ROOT' => __DIR__,
    'PID_FILE' => "$folder/todo-fpm-" . getmypid() . '.pid',
    'FPM_SOCKET' => "$folder/todo-fpm-" . getmypid() . '.sock',
    'POOL_USER' => $user === 0 ? 'www-data' : $user,
    // httpd keeps a body over 16 KiB in a temporary file: here that is memory.
    'TMP' => '/dev/shm',
    'PHP_INI_SCAN_DIR' => '',
    // libpq's own variables, from which every process opens its connection.
    'PGHOST' => trim($url['host'], '[]'),
    'PGPORT' => $url['port'] ?? 5432,
    'PGUSER' => rawurldecode($url['user'] ?? ''),
    'PGPASSWORD' => rawurldecode($url['pass'] ?? ''),
    'PGDATABASE' => $database,
    'PGAPPNAME' => 'todo-fpm',
    'PGCLIENTENCODING' => 'UTF8',
    'PGOPTIONS' => '-c statement_timeout=5s',
];
// #endregion server.configure

pcntl_exec('/bin/bash', [__DIR__ . '/serve.sh'], $environment + getenv());
$fail('bash cannot be started: ' . pcntl_strerror(pcntl_get_last_error()));
