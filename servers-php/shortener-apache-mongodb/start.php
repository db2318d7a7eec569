<?php

/** Checks the settings, then becomes Apache httpd: the process that was started is the parent of those that serve. */

declare(strict_types=1);

use MongoDB\Driver\Exception\InvalidArgumentException;
use MongoDB\Driver\Manager;

// #region server.configure
$fail = static function (string $message): never {
    fwrite(STDERR, "shortener-apache-mongodb: $message\n");
    exit(1);
};

$host = getenv('HOST') === false ? '127.0.0.1' : getenv('HOST');
if ($host === '' || !filter_var($host, FILTER_VALIDATE_IP) && !gethostbynamel($host)) {
    $fail('HOST must be an address, or a name that has one.');
}
$port = filter_var(getenv('PORT'), FILTER_VALIDATE_INT, ['options' => ['min_range' => 1, 'max_range' => 65535]])
    ?: $fail('PORT must be an integer from 1 to 65535.');
$url = (string) getenv('MONGODB_URL');
try {
    new Manager($url); // The driver reads the URL here, and connects later.
    preg_match('~^[^/]+//[^/]+/([^/?.]+)~', $url, $database) || throw new InvalidArgumentException();
} catch (InvalidArgumentException) {
    $fail('MONGODB_URL must be a URL like mongodb://user:password@host:27017/database.');
}
if (!in_array(getenv('CONNECTIONS'), [false, 'kept', 'per-request'], true)) {
    $fail('CONNECTIONS must be kept or per-request.');
}

$environment = [
    'LISTEN' => (str_contains($host, ':') ? "[$host]" : $host) . ":$port",
    'SERVER_ROOT' => __DIR__,
    'PID_FILE' => sys_get_temp_dir() . '/shortener-apache-mongodb-' . getmypid() . '.pid',
    'PHP_INI_SCAN_DIR' => '',
    'MONGODB_COLLECTION' => rawurldecode($database[1]) . '.links',
];
// #endregion server.configure

pcntl_exec('/usr/sbin/apache2', ['-D', 'FOREGROUND', '-f', __DIR__ . '/apache.conf'], $environment + getenv());
$fail('Apache httpd cannot be started: ' . pcntl_strerror(pcntl_get_last_error()));
