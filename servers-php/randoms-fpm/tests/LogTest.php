<?php

declare(strict_types=1);

namespace Samewire\Randoms\Tests;

use PHPUnit\Framework\TestCase;

final class LogTest extends TestCase
{
    private int $port;

    /** @var resource */
    private $server;

    /** @var resource */
    private $log;

    protected function tearDown(): void
    {
        proc_terminate($this->server);
        proc_close($this->server);
    }

    public function testTheResultOfAClientThatHasLeftIsLogged(): void
    {
        $this->start('async');

        $client = socket_create(AF_INET, SOCK_STREAM, SOL_TCP);
        socket_connect($client, '127.0.0.1', $this->port);
        socket_write($client, "GET /randoms?count=3000000&seed=1 HTTP/1.1\r\nHost: a\r\n\r\n");
        usleep(10_000);
        socket_set_option($client, SOL_SOCKET, SO_LINGER, ['l_onoff' => 1, 'l_linger' => 0]); // a reset
        socket_close($client);

        self::assertStringStartsWith('{"count":3000000,', $this->line());
    }

    /** Each process fills its pipe to PHP-FPM's master: what is in them is 390 kB. */
    public function testLinesStayWholeForASlowReader(): void
    {
        $this->start('sync');

        $clients = [];
        foreach (range(30_001, 30_040) as $count) {
            $clients[$count] = fsockopen('127.0.0.1', $this->port);
            fwrite($clients[$count], "GET /randoms?count=$count&seed=1 HTTP/1.1\r\nHost: a\r\n\r\n");
        }
        sleep(1);

        $counts = [];
        foreach ($clients as $client) {
            $counts[] = json_decode($this->line())?->count;
        }
        sort($counts);
        self::assertSame(array_keys($clients), $counts);
    }

    private function start(string $log): void
    {
        $this->port = self::freePort();
        $environment = ['PORT' => (string) $this->port, 'LOG' => $log];
        $streams = [1 => ['pipe', 'w'], 2 => ['file', '/dev/null', 'w']];
        $this->server = proc_open(['setsid', PHP_BINARY, 'start.php'], $streams, $pipes, env_vars: $environment);
        $this->log = $pipes[1];
        for ($tries = 0; $tries < 100 && !@fsockopen('127.0.0.1', $this->port); $tries++) {
            usleep(100_000);
        }
    }

    /** The next line of the log; nothing if there is none for 10 s. */
    private function line(): string
    {
        $ready = [$this->log];
        $none = [];

        return stream_select($ready, $none, $none, 10) ? (string) fgets($this->log) : '';
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
