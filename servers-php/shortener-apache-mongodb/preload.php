<?php

/** Loads every class when httpd starts: requests find them there, and index.php needs no autoloader. */

declare(strict_types=1);

foreach (glob(__DIR__ . '/src/*.php') as $file) {
    require_once $file;
}
