<?php

declare(strict_types=1);

namespace Samewire\Randoms;

final class Info
{
    /** @return array<string, mixed> of the process of the pool that answers */
    public static function ofThisProcess(): array
    {
        preg_match('/^VmRSS:\s*(\d+) kB$/m', file_get_contents('/proc/self/status'), $resident);

        return [
            'arguments' => explode("\0", rtrim(file_get_contents('/proc/self/cmdline'), "\0")),
            'platform' => strtolower(PHP_OS_FAMILY),
            'runtime' => 'PHP ' . PHP_VERSION,
            'pid' => getmypid(),
            'cpus' => (int) getenv('PROCESSORS'),
            'memory' => ['rss' => 1024 * (int) $resident[1]],
        ];
    }
}
