<?php

declare(strict_types=1);

// Renders a picture again and again: `php rounds.php WIDTH HEIGHT DEPTH ROUNDS`. Prints its SHA-256, then the processor
// seconds of each.

require __DIR__ . '/../../servers-php/_shared/raytracer/src/Raytracer.php';

use Samewire\Raytracer\Raytracer;

function processorSeconds(): float
{
    $used = getrusage();
    return $used['ru_utime.tv_sec'] + $used['ru_stime.tv_sec']
        + ($used['ru_utime.tv_usec'] + $used['ru_stime.tv_usec']) / 1e6;
}

[$width, $height, $depth, $rounds] = array_map(intval(...), array_slice($argv, 1));
echo hash('sha256', Raytracer::render($width, $height, $depth)), "\n";
for ($round = 0; $round < $rounds; $round++) {
    $begin = processorSeconds();
    Raytracer::render($width, $height, $depth);
    echo processorSeconds() - $begin, "\n";
}
