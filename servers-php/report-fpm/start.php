<?php

/** Checks the settings, then becomes serve.sh: the process that was started is the parent of PHP-FPM and Apache httpd. */

declare(strict_types=1);

// #region server.configure
$fail = static function (string $message): never {
    fwrite(STDERR, "report-fpm: $message\n");
    exit(1);
};

$host = getenv('HOST') === false ? '127.0.0.1' : getenv('HOST');
if ($host === '' || !filter_var($host, FILTER_VALIDATE_IP) && !gethostbynamel($host)) {
    $fail('HOST must be an address, or a name that has one.');
}
$port = filter_var(getenv('PORT'), FILTER_VALIDATE_INT, ['options' => ['min_range' => 1, 'max_range' => 65535]])
    ?: $fail('PORT must be an integer from 1 to 65535.');
$upstream = static function (string $name) use ($fail): string {
    $url = (string) getenv($name);
    $parts = parse_url($url) ?: [];
    $isUsable = filter_var($url, FILTER_VALIDATE_URL)
        && $parts['scheme'] === 'http'
        && ($parts['port'] ?? 80) !== 0
        && ($parts['path'] ?? '/') === '/'
        && !array_diff(array_keys($parts), ['scheme', 'host', 'port', 'path']);

    return $isUsable ? rtrim($url, '/') : $fail("$name must be a URL like http://host:port.");
};
$timeout = getenv('UPSTREAM_TIMEOUT_MS') === false ? '60000' : getenv('UPSTREAM_TIMEOUT_MS');
filter_var($timeout, FILTER_VALIDATE_INT, ['options' => ['min_range' => 1, 'max_range' => 2_147_483_647]])
    || $fail('UPSTREAM_TIMEOUT_MS must be a number of milliseconds from 1 to 2147483647.');

// A socket's path has 107 bytes at most: there may be no room in a deep folder.
$folder = strlen(sys_get_temp_dir()) < 80 ? sys_get_temp_dir() : '/tmp';
$user = posix_geteuid();
$environment = [
    'LISTEN' => (str_contains($host, ':') ? "[$host]" : $host) . ":$port",
    'SERVER_ROOT' => __DIR__,
    'PID_FILE' => "$folder/report-fpm-" . getmypid() . '.pid',
    'FPM_SOCKET' => "$folder/report-fpm-" . getmypid() . '.sock',
    'POOL_USER' => $user === 0 ? 'www-data' : $user,
    'PROXY_TIMEOUT' => intdiv((int) $timeout, 1000) + 50,
    'PHP_INI_SCAN_DIR' => '',
    'TODO_URL' => $upstream('TODO_URL'),
    'RAYTRACER_URL' => $upstream('RAYTRACER_URL'),
    'UPSTREAM_TIMEOUT_MS' => $timeout,
];
// #endregion server.configure

pcntl_exec('/bin/bash', [__DIR__ . '/serve.sh'], $environment + getenv());
$fail('bash cannot be started: ' . pcntl_strerror(pcntl_get_last_error()));
