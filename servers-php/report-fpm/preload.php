<?php

/**
 * Makes a page when PHP-FPM starts: its classes, and the template's, are there for all requests.
 *
 * It is also a step of the build: Twig writes the compiled template into var/.
 */

declare(strict_types=1);

use Samewire\Report\Page;

require __DIR__ . '/vendor/autoload.php';
require 'Twig/autoload.php';

foreach (require __DIR__ . '/vendor/composer/autoload_classmap.php' as $class => $file) {
    class_exists($class);
}
(new Page())->render([(object) ['id' => 1, 'title' => 'a title', 'completed' => false]], 'an image');
