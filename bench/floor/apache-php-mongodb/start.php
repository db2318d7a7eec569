<?php

/** Becomes Apache httpd, configured as for the copy. */

declare(strict_types=1);

$environment = [
    'LISTEN' => getenv('HOST') . ':' . getenv('PORT'),
    'SERVER_ROOT' => __DIR__,
    'PID_FILE' => getenv('TMPDIR') . '/floor-apache-php-mongodb.pid',
    'PHP_INI_SCAN_DIR' => '',
    'MONGODB_COLLECTION' => ltrim(parse_url(getenv('MONGODB_URL'), PHP_URL_PATH), '/') . '.links',
];
$configuration = dirname(__DIR__) . '/apache-php/apache.conf';
pcntl_exec('/usr/sbin/apache2', ['-D', 'FOREGROUND', '-f', $configuration], $environment + getenv());
exit(1);
