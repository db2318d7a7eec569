<?php

/** Becomes Apache httpd, configured as the servers are. */

declare(strict_types=1);

$environment = [
    'LISTEN' => getenv('HOST') . ':' . getenv('PORT'),
    'SERVER_ROOT' => __DIR__,
    'PID_FILE' => getenv('TMPDIR') . '/floor-apache-php.pid',
    'PHP_INI_SCAN_DIR' => '',
];
pcntl_exec('/usr/sbin/apache2', ['-D', 'FOREGROUND', '-f', __DIR__ . '/apache.conf'], $environment + getenv());
exit(1);
