<?php

/** Loads every class of Composer's class map when PHP-FPM starts: no request loads any. */

declare(strict_types=1);

require __DIR__ . '/vendor/autoload.php';

foreach (require __DIR__ . '/vendor/composer/autoload_classmap.php' as $class => $file) {
    class_exists($class);
}
