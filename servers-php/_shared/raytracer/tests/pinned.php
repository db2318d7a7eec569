<?php

declare(strict_types=1);

// Whether the pixels are those that the contract pins: `php tests/pinned.php [largest number of pixels]`.

require __DIR__ . '/../src/Raytracer.php';

use Samewire\Raytracer\Raytracer;

$largest = (int) ($argv[1] ?? PHP_INT_MAX);
$file = fopen(__DIR__ . '/../../../../contract-tests/raytracer/golden/pictures.csv', 'rb');
fgetcsv($file);
$compared = 0;
$wrong = 0;
while ([$width, $height, $depth, $sha256] = fgetcsv($file)) {
    if ($width * $height > $largest) {
        continue;
    }
    $compared++;
    if (hash('sha256', Raytracer::render((int) $width, (int) $height, (int) $depth)) !== $sha256) {
        fwrite(STDERR, "$width x $height, depth $depth: not the pinned pixels\n");
        $wrong++;
    }
}

$row = Raytracer::renderRow(64, 48, 5, 47);
if ($row !== substr(Raytracer::render(64, 48, 5), -3 * 64)) {
    fwrite(STDERR, "the last row is not that of the picture\n");
    $wrong++;
}

$jit = (opcache_get_status(false) ?: [])['jit']['on'] ?? false;
printf("%d pictures %s JIT, %d wrong\n", $compared, $jit ? 'with' : 'without', $wrong);
exit($wrong === 0 && $compared >= 10 ? 0 : 1);
