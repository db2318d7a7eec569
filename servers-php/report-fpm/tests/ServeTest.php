<?php

declare(strict_types=1);

namespace Samewire\Report\Tests;

use PHPUnit\Framework\TestCase;

/** PHP-FPM and Apache httpd start together, and end together. Nobody listens on the upstreams' ports. */
final class ServeTest extends TestCase
{
    private string $folder;

    private int $pid;

    /** @var resource */
    private $server;

    protected function setUp(): void
    {
        $this->folder = sys_get_temp_dir() . '/serve-test-' . getmypid();
        mkdir($this->folder);
        $port = self::freePort();
        $environment = ['TMPDIR' => $this->folder, 'PORT' => (string) $port];
        $environment += ['TODO_URL' => 'http://127.0.0.1:1', 'RAYTRACER_URL' => 'http://127.0.0.1:1'] + getenv();
        $quiet = ['file', '/dev/null', 'a'];
        $this->server = proc_open(['setsid', PHP_BINARY, 'start.php'], [2 => $quiet], $pipes, env_vars: $environment);
        $this->pid = proc_get_status($this->server)['pid'];
        for ($tries = 0; $tries < 100 && !@fsockopen('127.0.0.1', $port); $tries++) {
            usleep(100_000);
        }
    }

    protected function tearDown(): void
    {
        rmdir($this->folder);
    }

    /**
     * @testWith [0]
     *           [1]
     */
    public function testEachEndsWithTheOther(int $child): void
    {
        posix_kill($this->children()[$child], SIGKILL);

        self::assertSame(1, proc_close($this->server));
        $this->assertNothingIsLeft();
    }

    public function testTheyEndWithTheProcessThatWasStarted(): void
    {
        posix_kill($this->pid, SIGKILL);
        proc_close($this->server);

        $this->assertNothingIsLeft();
    }

    public function testTheyStopTogether(): void
    {
        posix_kill($this->pid, SIGTERM);

        self::assertSame(0, proc_close($this->server));
        $this->assertNothingIsLeft();
    }

    private function assertNothingIsLeft(): void
    {
        for ($tries = 0; $tries < 100 && $this->running() !== ''; $tries++) {
            usleep(100_000); // Who was killed is there for a moment.
        }
        self::assertSame('', $this->running());
        self::assertSame(['.', '..'], scandir($this->folder));
    }

    /** Who runs of the session that was started. Init has yet to take note of those that have ended. */
    private function running(): string
    {
        return (string) shell_exec("ps -o stat=,args= -s $this->pid | grep -v '^Z'");
    }

    /** @return array{int, int} PHP-FPM and httpd */
    private function children(): array
    {
        return array_map('intval', explode(' ', file_get_contents("/proc/$this->pid/task/$this->pid/children")));
    }

    /** A port that is free now. */
    private static function freePort(): int
    {
        $socket = stream_socket_server('tcp://127.0.0.1:0');
        $port = (int) substr(strrchr(stream_socket_get_name($socket, false), ':'), 1);
        fclose($socket);

        return $port;
    }
}
