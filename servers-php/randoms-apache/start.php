<?php

/**
 * Checks the environment, then becomes Apache httpd: the process that was
 * started is the parent of the children that serve.
 */

declare(strict_types=1);

$fail = static function (string $message): never {
    fwrite(STDERR, "randoms-apache: $message\n");
    exit(1);
};

// #region server.configure
$host = getenv('HOST') ?: '127.0.0.1';
$port = filter_var(getenv('PORT'), FILTER_VALIDATE_INT, ['options' => ['min_range' => 1, 'max_range' => 65535]])
    ?: $fail('PORT must be an integer from 1 to 65535.');
$oneOf = static function (string $name, string $default, string ...$others) use ($fail): string {
    $value = getenv($name);
    $words = [$default, ...$others];

    return match (true) {
        $value === false => $default,
        in_array($value, $words, true) => $value,
        default => $fail("$name must be one of " . implode(', ', $words) . '.'),
    };
};
$compression = $oneOf('COMPRESSION', 'on', 'off');
$log = $oneOf('LOG', 'none', 'sync', 'async');
$leastBytes = getenv('COMPRESSION_MIN_BYTES');
if ($leastBytes === false) {
    $leastBytes = '1024';
} elseif (preg_match('/^(0|[1-9][0-9]{0,8})$/D', $leastBytes) !== 1) {
    $fail('COMPRESSION_MIN_BYTES must be a number of bytes in decimal digits.');
}

$listen = (str_contains($host, ':') ? "[$host]" : $host) . ":$port";
// Bound, but not listening, so that no client can meet this socket.
$probe = @stream_socket_server("tcp://$listen", $errno, $error, STREAM_SERVER_BIND)
    ?: $fail("Cannot listen on $listen (HOST, PORT): $error.");
fclose($probe);

$directory = rtrim(getenv('TMPDIR') ?: sys_get_temp_dir(), '/');
// A file to lock for each processor that this process may run on: so many draw at once.
$places = array_map(
    static fn (int $number): string => "$directory/randoms-apache-$port.processor-$number",
    range(1, (int) shell_exec('nproc')),
);
$lock = "$directory/randoms-apache-$port.log-lock";
foreach ([...$places, $lock] as $file) {
    @touch($file) ?: $fail("Cannot write to $directory (TMPDIR).");
}
$environment = [
    'LISTEN' => $listen,
    'SERVER_ROOT' => __DIR__,
    'PID_FILE' => "$directory/randoms-apache-$port.pid",
    'PHP_INI_SCAN_DIR' => '',
    'PLACES' => implode(':', $places),
    'COMPRESSION' => $compression,
    'COMPRESSION_MIN_BYTES' => $leastBytes,
    'LOG' => $log,
    'LOG_LOCK' => $lock,
];
// #endregion server.configure

pcntl_exec('/usr/sbin/apache2', ['-D', 'FOREGROUND', '-f', __DIR__ . '/apache.conf'], $environment + getenv());
$fail('Cannot execute /usr/sbin/apache2: ' . pcntl_strerror(pcntl_get_last_error()) . '.');
