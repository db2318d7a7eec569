<?php

/**
 * Checks the environment, then becomes Apache httpd: the process that was
 * started is the parent of the children that serve.
 */

declare(strict_types=1);

$fail = static function (string $message): never {
    fwrite(STDERR, "shortener-apache-pg: $message\n");
    exit(1);
};

// #region server.configure
$host = getenv('HOST') ?: '127.0.0.1';
$port = filter_var(getenv('PORT'), FILTER_VALIDATE_INT, ['options' => ['min_range' => 1, 'max_range' => 65535]])
    ?: $fail('PORT must be an integer from 1 to 65535.');
$database = parse_url((string) getenv('POSTGRES_URL')) ?: [];
if (
    !in_array($database['scheme'] ?? '', ['postgres', 'postgresql'], true)
    || !isset($database['host'], $database['path'])
    || $database['path'] === '/'
) {
    $fail('POSTGRES_URL must be a URL like postgres://user:password@host:5432/database.');
}

$listen = (str_contains($host, ':') ? "[$host]" : $host) . ":$port";
// Bound, but not listening, so that no client can meet this socket.
$probe = @stream_socket_server("tcp://$listen", $errno, $error, STREAM_SERVER_BIND)
    ?: $fail("Cannot listen on $listen (HOST, PORT): $error.");
fclose($probe);

$directory = rtrim(getenv('TMPDIR') ?: sys_get_temp_dir(), '/');
$environment = [
    'LISTEN' => $listen,
    'SERVER_ROOT' => __DIR__,
    'PID_FILE' => "$directory/shortener-apache-pg-$port.pid",
    'PHP_INI_SCAN_DIR' => '',
    // What libpq takes from its environment; statement_timeout in milliseconds.
    'PGHOST' => trim($database['host'], '[]'),
    'PGPORT' => $database['port'] ?? 5432,
    'PGUSER' => rawurldecode($database['user'] ?? ''),
    'PGPASSWORD' => rawurldecode($database['pass'] ?? ''),
    'PGDATABASE' => rawurldecode(substr($database['path'], 1)),
    'PGOPTIONS' => '-c statement_timeout=5000',
    'PGAPPNAME' => 'shortener-apache-pg',
];
// #endregion server.configure

pcntl_exec('/usr/sbin/apache2', ['-D', 'FOREGROUND', '-f', __DIR__ . '/apache.conf'], $environment + getenv());
$fail('Cannot execute /usr/sbin/apache2: ' . pcntl_strerror(pcntl_get_last_error()) . '.');
