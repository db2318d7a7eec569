<?php

/**
 * Checks the environment, then becomes Apache httpd: the process that was
 * started is the parent of the children that serve.
 */

declare(strict_types=1);

$fail = static function (string $message): never {
    fwrite(STDERR, "report-apache: $message\n");
    exit(1);
};

// #region server.configure
$host = getenv('HOST') ?: '127.0.0.1';
$port = filter_var(getenv('PORT'), FILTER_VALIDATE_INT, ['options' => ['min_range' => 1, 'max_range' => 65535]])
    ?: $fail('PORT must be an integer from 1 to 65535.');
$upstream = static function (string $name) use ($fail): string {
    $url = (string) getenv($name);
    $usable = preg_match('~^http://([0-9A-Za-z._-]+|\[[0-9A-Fa-f:.]+\])(:[0-9]{1,5})?/?$~Di', $url) === 1
        && (parse_url($url)['port'] ?? 80) > 0;

    return $usable ? rtrim($url, '/') : $fail("$name must be a URL like http://host:port.");
};
$todo = $upstream('TODO_URL');
$raytracer = $upstream('RAYTRACER_URL');
$timeout = getenv('UPSTREAM_TIMEOUT_MS');
if ($timeout === false) {
    $timeout = '60000';
} elseif (preg_match('/^[1-9][0-9]{0,8}$/D', $timeout) !== 1) {
    $fail('UPSTREAM_TIMEOUT_MS must be a positive number of milliseconds in decimal digits.');
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
    'PID_FILE' => "$directory/report-apache-$port.pid",
    'PHP_INI_SCAN_DIR' => '',
    'TODO_URL' => $todo,
    'RAYTRACER_URL' => $raytracer,
    'UPSTREAM_TIMEOUT_MS' => $timeout,
];
// #endregion server.configure

pcntl_exec('/usr/sbin/apache2', ['-D', 'FOREGROUND', '-f', __DIR__ . '/apache.conf'], $environment + getenv());
$fail('Cannot execute /usr/sbin/apache2: ' . pcntl_strerror(pcntl_get_last_error()) . '.');
