<?php

/** Checks the settings, then becomes Apache httpd: the process that was started is the parent of those that serve. */

declare(strict_types=1);

// #region server.configure
$fail = static function (string $message): never {
    fwrite(STDERR, "upload-apache: $message\n");
    exit(1);
};

$host = getenv('HOST') === false ? '127.0.0.1' : getenv('HOST');
if ($host === '' || !filter_var($host, FILTER_VALIDATE_IP) && !gethostbynamel($host)) {
    $fail('HOST must be an address, or a name that has one.');
}
$port = filter_var(getenv('PORT'), FILTER_VALIDATE_INT, ['options' => ['min_range' => 1, 'max_range' => 65535]])
    ?: $fail('PORT must be an integer from 1 to 65535.');
$range = ['min_range' => 1, 'max_range' => 1 << 62];
$bytes = static fn (string $name, string $default): string => match (true) {
    getenv($name) === false => $default,
    filter_var(getenv($name), FILTER_VALIDATE_INT, ['options' => $range]) !== false => getenv($name),
    default => $fail("$name must be a number of bytes from 1 to 2^62."),
};
$fileBytes = $bytes('MAX_FILE_BYTES', '209715200');
$requestBytes = $bytes('MAX_REQUEST_BYTES', '241172480');
$folder = (string) getenv('UPLOAD_DIR');
$incoming = "$folder/.incoming";
$isUsable = str_starts_with($folder, '/') && !is_link($incoming) && (is_dir($incoming) || @mkdir($incoming))
    && is_writable($folder) && is_writable($incoming);
$isUsable || $fail('UPLOAD_DIR must be the absolute path of a folder that can be written.');
posix_geteuid() !== 0 || lchown($incoming, 'www-data');
// httpd and its children inherit this file, and its lock with it: whoever gets it alone has no server beside it.
$lock = fopen($incoming, 'r');
if (flock($lock, LOCK_EX | LOCK_NB)) {
    // A server that was killed has left them.
    array_map(unlink(...), iterator_to_array(new FilesystemIterator(
        $incoming,
        FilesystemIterator::CURRENT_AS_PATHNAME | FilesystemIterator::SKIP_DOTS,
    )));
}
flock($lock, LOCK_SH);

$environment = [
    'LISTEN' => (str_contains($host, ':') ? "[$host]" : $host) . ":$port",
    'SERVER_ROOT' => __DIR__,
    'PID_FILE' => sys_get_temp_dir() . '/upload-apache-' . getmypid() . '.pid',
    'PHP_INI_SCAN_DIR' => '',
    'UPLOAD_DIR' => $folder,
    'MAX_FILE_BYTES' => $fileBytes,
    'MAX_REQUEST_BYTES' => $requestBytes,
    'READ_BYTES' => $requestBytes + 67_108_864,
];
// #endregion server.configure

pcntl_exec('/usr/sbin/apache2', ['-D', 'FOREGROUND', '-f', __DIR__ . '/apache.conf'], $environment + getenv());
$fail('Apache httpd cannot be started: ' . pcntl_strerror(pcntl_get_last_error()));
