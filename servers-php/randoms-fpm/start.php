<?php

/** Checks the settings, then becomes serve.sh: the process that was started is the parent of PHP-FPM and Apache httpd. */

declare(strict_types=1);

// #region server.configure
$fail = static function (string $message): never {
    fwrite(STDERR, "randoms-fpm: $message\n");
    exit(1);
};

$host = getenv('HOST') === false ? '127.0.0.1' : getenv('HOST');
if ($host === '' || !filter_var($host, FILTER_VALIDATE_IP) && !gethostbynamel($host)) {
    $fail('HOST must be an address, or a name that has one.');
}
$port = filter_var(getenv('PORT'), FILTER_VALIDATE_INT, ['options' => ['min_range' => 1, 'max_range' => 65535]])
    ?: $fail('PORT must be an integer from 1 to 65535.');
$choice = static fn (string $name, string $default, string ...$others): string => match (true) {
    getenv($name) === false => $default,
    in_array(getenv($name), [$default, ...$others], true) => getenv($name),
    default => $fail("$name must be one of $default, " . implode(', ', $others) . '.'),
};
$log = $choice('LOG', 'none', 'sync', 'async');
$compression = $choice('COMPRESSION', 'on', 'off');
$minBytes = getenv('COMPRESSION_MIN_BYTES') === false ? '1024' : getenv('COMPRESSION_MIN_BYTES');
ctype_digit($minBytes) || $fail('COMPRESSION_MIN_BYTES must be a number of bytes.');

// A socket's path has 107 bytes at most: there may be no room in a deep folder.
$folder = strlen(sys_get_temp_dir()) < 75 ? sys_get_temp_dir() : '/tmp';
$user = posix_geteuid();
$environment = [
    'LISTEN' => (str_contains($host, ':') ? "[$host]" : $host) . ":$port",
    'SERVER_ROOT' => __DIR__,
    'PID_FILE' => "$folder/randoms-fpm-" . getmypid() . '.pid',
    'FPM_SOCKET' => "$folder/randoms-fpm-" . getmypid() . '.sock',
    'DRAWS_SOCKET' => "$folder/randoms-fpm-draws-" . getmypid() . '.sock',
    'POOL_USER' => $user === 0 ? 'www-data' : $user,
    'PHP_INI_SCAN_DIR' => '',
    'LOG' => $log,
    'COMPRESSION' => $compression,
    'COMPRESSION_MIN_BYTES' => $minBytes,
    'PROCESSORS' => (int) shell_exec('nproc'),
];
// #endregion server.configure

pcntl_exec('/bin/bash', [__DIR__ . '/serve.sh'], $environment + getenv());
$fail('bash cannot be started: ' . pcntl_strerror(pcntl_get_last_error()));
