<?php

declare(strict_types=1);

namespace Samewire\Randoms\Tests;

use PHPUnit\Framework\TestCase;

final class LogTest extends TestCase
{
    public function testTheResultOfAClientThatHasLeftIsLogged(): void
    {
        $port = self::freePort();
        $environment = ['PORT' => (string) $port, 'LOG' => 'async'];
        $streams = [1 => ['pipe', 'w'], 2 => ['file', '/dev/null', 'w']];
        $server = proc_open(['setsid', PHP_BINARY, 'start.php'], $streams, $pipes, env_vars: $environment);
        for ($tries = 0; $tries < 100 && !@fsockopen('127.0.0.1', $port); $tries++) {
            usleep(100_000);
        }

        $client = socket_create(AF_INET, SOCK_STREAM, SOL_TCP);
        socket_connect($client, '127.0.0.1', $port);
        socket_write($client, "GET /randoms?count=3000000&seed=1 HTTP/1.1\r\nHost: a\r\n\r\n");
        usleep(10_000);
        socket_set_option($client, SOL_SOCKET, SO_LINGER, ['l_onoff' => 1, 'l_linger' => 0]); // a reset
        socket_close($client);
        $ready = [$pipes[1]];
        $none = [];
        $line = stream_select($ready, $none, $none, 10) ? fgets($pipes[1]) : '';
        proc_terminate($server);
        proc_close($server);

        self::assertStringStartsWith('{"count":3000000,', $line);
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
