<?php

declare(strict_types=1);

namespace Samewire\Report\Tests;

use PHPUnit\Framework\TestCase;
use Samewire\Report\Problem;
use Samewire\Report\Upstreams;

final class UpstreamsTest extends TestCase
{
    private static string $address;

    /** @var resource */
    private static $server;

    public static function setUpBeforeClass(): void
    {
        self::$address = '127.0.0.1:' . self::freePort();
        self::$server = proc_open([PHP_BINARY, '-S', self::$address, 'upstream.php'], [2 => ['null']], $pipes, __DIR__);
        for ($tries = 0; $tries < 100 && !@stream_socket_client(self::$address); $tries++) {
            usleep(100_000);
        }
    }

    public static function tearDownAfterClass(): void
    {
        proc_terminate(self::$server);
        proc_close(self::$server);
    }

    public function testBothBodiesAreWhole(): void
    {
        self::assertSame([str_repeat('todos', 1_000), str_repeat('render', 1_000)], self::fetch('good', 'good'));
    }

    /**
     * @testWith ["status", "good", 502]
     *           ["good", "status", 502]
     *           ["type", "good", 502]
     *           ["good", "empty", 502]
     *           ["large", "good", 502]
     *           ["good", "large", 502]
     *           ["late", "good", 504]
     */
    public function testABadAnswerOfOneEndsBoth(string $todos, string $image, int $status): void
    {
        $this->expectException(Problem::class);
        $this->expectExceptionCode($status);
        @self::fetch($todos, $image);
    }

    /** @return array{string, string} */
    private static function fetch(string $todos, string $image): array
    {
        putenv('TODO_URL=http://' . self::$address . "/$todos");
        putenv('RAYTRACER_URL=http://' . self::$address . "/$image");
        putenv('UPSTREAM_TIMEOUT_MS=1000');

        return (new Upstreams())->fetch();
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
