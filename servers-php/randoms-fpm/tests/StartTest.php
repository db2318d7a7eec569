<?php

declare(strict_types=1);

namespace Samewire\Randoms\Tests;

use PHPUnit\Framework\TestCase;

final class StartTest extends TestCase
{
    private const GOOD = ['HOST' => '127.0.0.1', 'PORT' => '8080'];

    /**
     * @testWith ["HOST", ""]
     *           ["HOST", "nonsense.invalid"]
     *           ["PORT", ""]
     *           ["PORT", "0"]
     *           ["PORT", "65536"]
     *           ["PORT", "8e3"]
     *           ["LOG", "on"]
     *           ["COMPRESSION", ""]
     *           ["COMPRESSION_MIN_BYTES", "-1"]
     */
    public function testAnUnusableSettingEndsTheProcess(string $name, string $value): void
    {
        $command = ['setsid', '-w', 'timeout', '5', 'env', "$name=$value", PHP_BINARY, 'start.php'];
        $start = proc_open($command, [2 => ['pipe', 'w']], $pipes, env_vars: self::GOOD);
        $message = stream_get_contents($pipes[2]);

        self::assertSame(1, proc_close($start));
        self::assertStringContainsString($name, $message);
    }
}
