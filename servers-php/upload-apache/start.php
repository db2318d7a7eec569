<?php

/**
 * Checks the environment, then becomes Apache httpd: the process that was
 * started is the parent of the children that serve.
 */

declare(strict_types=1);

$fail = static function (string $message): never {
    fwrite(STDERR, "upload-apache: $message\n");
    exit(1);
};

// #region server.configure
$host = getenv('HOST') ?: '127.0.0.1';
$port = filter_var(getenv('PORT'), FILTER_VALIDATE_INT, ['options' => ['min_range' => 1, 'max_range' => 65535]])
    ?: $fail('PORT must be an integer from 1 to 65535.');
$bytes = static function (string $name, int $default) use ($fail): int {
    $value = getenv($name);
    if ($value === false) {
        return $default;
    }

    return preg_match('/^[1-9][0-9]{0,17}$/D', $value) === 1
        ? (int) $value
        : $fail("$name must be a positive number of bytes in decimal digits.");
};
$fileLimit = $bytes('MAX_FILE_BYTES', 209_715_200);
$requestLimit = $bytes('MAX_REQUEST_BYTES', 241_172_480);

// Looked at as the user who will serve.
$user = posix_geteuid() === 0 ? posix_getpwnam('www-data') : ['uid' => posix_geteuid(), 'gid' => posix_getegid()];
posix_setegid($user['gid']);
posix_seteuid($user['uid']);
$folder = rtrim((string) getenv('UPLOAD_DIR'), '/');
$incoming = "$folder/.incoming";
if (
    !str_starts_with($folder, '/')
    || !is_dir($folder)
    || !(is_dir($incoming) || @mkdir($incoming, 0700))
    || !@touch("$incoming/probe")
) {
    $fail('UPLOAD_DIR must be the absolute path of an existing, writable folder.');
}
// What a predecessor was receiving when it was killed.
foreach (array_diff(scandir($incoming), ['.', '..']) as $name) {
    unlink("$incoming/$name");
}
posix_seteuid(posix_getuid());
posix_setegid(posix_getgid());

$listen = (str_contains($host, ':') ? "[$host]" : $host) . ":$port";
// Bound, but not listening, so that no client can meet this socket.
$probe = @stream_socket_server("tcp://$listen", $errno, $error, STREAM_SERVER_BIND)
    ?: $fail("Cannot listen on $listen (HOST, PORT): $error.");
fclose($probe);

$directory = rtrim(getenv('TMPDIR') ?: sys_get_temp_dir(), '/');
$environment = [
    'LISTEN' => $listen,
    'SERVER_ROOT' => __DIR__,
    'PID_FILE' => "$directory/upload-apache-$port.pid",
    'PHP_INI_SCAN_DIR' => '',
    'UPLOAD_DIR' => $folder,
    'MAX_FILE_BYTES' => (string) $fileLimit,
    'MAX_REQUEST_BYTES' => (string) $requestLimit,
    // What is read and thrown away after an answer ends here.
    'READ_LIMIT' => (string) ($requestLimit + 67_108_864),
];
// #endregion server.configure

pcntl_exec('/usr/sbin/apache2', ['-D', 'FOREGROUND', '-f', __DIR__ . '/apache.conf'], $environment + getenv());
$fail('Cannot execute /usr/sbin/apache2: ' . pcntl_strerror(pcntl_get_last_error()) . '.');
