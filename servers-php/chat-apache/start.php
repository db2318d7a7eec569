<?php

/** Checks the settings, then becomes Apache httpd: the process that was started is the parent of those that serve. */

declare(strict_types=1);

// #region server.configure
$fail = static function (string $message): never {
    fwrite(STDERR, "chat-apache: $message\n");
    exit(1);
};

$host = getenv('HOST') === false ? '127.0.0.1' : getenv('HOST');
if ($host === '' || !filter_var($host, FILTER_VALIDATE_IP) && !gethostbynamel($host)) {
    $fail('HOST must be an address, or a name that has one.');
}
$port = filter_var(getenv('PORT'), FILTER_VALIDATE_INT, ['options' => ['min_range' => 1, 'max_range' => 65535]])
    ?: $fail('PORT must be an integer from 1 to 65535.');
$environment = [
    'LISTEN' => (str_contains($host, ':') ? "[$host]" : $host) . ":$port",
    'SERVER_ROOT' => __DIR__,
    'PID_FILE' => sys_get_temp_dir() . '/chat-apache-' . getmypid() . '.pid',
    'PHP_INI_SCAN_DIR' => '',
    'SEMAPHORE' => posix_geteuid() << 16 | $port,
    'LISTENERS' => -(posix_geteuid() << 16 | $port),
];
// #endregion server.configure

pcntl_exec('/usr/sbin/apache2', ['-D', 'FOREGROUND', '-f', __DIR__ . '/apache.conf'], $environment + getenv());
$fail('Apache httpd cannot be started: ' . pcntl_strerror(pcntl_get_last_error()));
