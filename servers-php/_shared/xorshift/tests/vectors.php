<?php

declare(strict_types=1);

// Whether the draws are those that all languages share: `php tests/vectors.php`.

require __DIR__ . '/../src/Xorshift.php';

use Samewire\Xorshift\Xorshift;

// The first five states and numbers of a seed.
$first = [
    1 => [
        [270369, 67634689, 2647435461, 307599695, 2398689233],
        [370, 690, 462, 696, 234],
    ],
    4294967295 => [
        [253983, 4228382207, 1958451267, 4056713434, 2049502865],
        [984, 208, 268, 435, 866],
    ],
];

$wrong = 0;
$check = static function (string $what, mixed $got, mixed $expected) use (&$wrong): void {
    if ($got !== $expected) {
        fprintf(STDERR, "%s: %s instead of %s\n", $what, json_encode($got), json_encode($expected));
        $wrong++;
    }
};

foreach ($first as $seed => [$states, $numbers]) {
    $state = $seed;
    $drawn = array_fill(1, 1000, 0);
    foreach ($states as $i => $expected) {
        $state = Xorshift::step($state);
        $check("state $i of seed $seed", $state, $expected);
        $check("number $i of seed $seed", Xorshift::number($state), $numbers[$i]);
        $drawn[$numbers[$i]]++;
        $check('so many draws of seed ' . $seed, array_sum(Xorshift::draw($i + 1, $seed)), $i + 1);
    }
    $check("counts of seed $seed", Xorshift::draw(count($numbers), $seed), $drawn);
}

$check('no draws', Xorshift::draw(0, 7), array_fill(1, 1000, 0));

$million = Xorshift::draw(1_000_000, 42);
$check('the keys', array_keys($million), range(1, 1000));
$check('some counts', [$million[1], $million[2], $million[500], $million[1000]], [994, 948, 989, 957]);
$check('their sum', array_sum($million), 1_000_000);
$check(
    'the digest of the counts',
    hash('sha256', implode(',', $million)),
    'c1fc7713f60e27eec4c9e54f5c6738bd0cfa1745567ff64c5256af515a894db6',
);

$jit = (opcache_get_status(false) ?: [])['jit']['on'] ?? false;
printf("xorshift %s JIT, %d wrong\n", $jit ? 'with' : 'without', $wrong);
exit($wrong === 0 ? 0 : 1);
