<?php

declare(strict_types=1);

namespace Samewire\Randoms;

final class ShowInfo
{
    public function __construct(private readonly int $processors)
    {
    }

    /** Of the process that answers: a child of httpd, with PHP in it. */
    public function __invoke(): Response
    {
        $arguments = explode("\0", rtrim(file_get_contents('/proc/self/cmdline'), "\0"));
        preg_match('/^VmRSS:\s*([0-9]+) kB$/m', file_get_contents('/proc/self/status'), $resident);

        return Response::json(200, [
            'arguments' => $arguments,
            'platform' => strtolower(PHP_OS_FAMILY),
            'runtime' => 'PHP ' . PHP_VERSION,
            'pid' => getmypid(),
            'cpus' => $this->processors,
            'memory' => ['rss' => 1024 * (int) $resident[1]],
        ]);
    }
}
