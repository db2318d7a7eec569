<?php

declare(strict_types=1);

namespace Samewire\Report\Tests;

use PHPUnit\Framework\TestCase;

final class StartTest extends TestCase
{
    private const GOOD = [
        'HOST' => '127.0.0.1',
        'PORT' => '8080',
        'TODO_URL' => 'http://127.0.0.1:8081',
        'RAYTRACER_URL' => 'http://127.0.0.1:8082',
    ];

    /**
     * @testWith ["HOST", ""]
     *           ["HOST", "nonsense.invalid"]
     *           ["PORT", ""]
     *           ["PORT", "0"]
     *           ["PORT", "65536"]
     *           ["PORT", "8e3"]
     *           ["TODO_URL", ""]
     *           ["TODO_URL", "127.0.0.1:8081"]
     *           ["TODO_URL", "https://127.0.0.1"]
     *           ["TODO_URL", "http://127.0.0.1/todos"]
     *           ["TODO_URL", "http://127.0.0.1?x"]
     *           ["TODO_URL", "http://127.0.0.1:0"]
     *           ["RAYTRACER_URL", ""]
     *           ["RAYTRACER_URL", "127.0.0.1:8081"]
     *           ["RAYTRACER_URL", "https://127.0.0.1"]
     *           ["RAYTRACER_URL", "http://127.0.0.1/todos"]
     *           ["RAYTRACER_URL", "http://127.0.0.1?x"]
     *           ["RAYTRACER_URL", "http://127.0.0.1:0"]
     *           ["UPSTREAM_TIMEOUT_MS", "0"]
     *           ["UPSTREAM_TIMEOUT_MS", "1.5"]
     *           ["UPSTREAM_TIMEOUT_MS", "2147483648"]
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
