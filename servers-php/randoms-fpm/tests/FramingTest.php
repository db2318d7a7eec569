<?php

declare(strict_types=1);

namespace Samewire\Randoms\Tests;

use PHPUnit\Framework\TestCase;

/** Where requests and bodies end: the server runs. */
final class FramingTest extends TestCase
{
    private static int $port;

    /** @var resource */
    private static $server;

    public static function setUpBeforeClass(): void
    {
        self::$port = self::freePort();
        $environment = ['PORT' => (string) self::$port];
        $quiet = ['file', '/dev/null', 'w'];
        $streams = [1 => $quiet, 2 => $quiet];
        self::$server = proc_open(['setsid', PHP_BINARY, 'start.php'], $streams, $pipes, env_vars: $environment);
        for ($tries = 0; $tries < 100 && !@fsockopen('127.0.0.1', self::$port); $tries++) {
            usleep(100_000);
        }
    }

    public static function tearDownAfterClass(): void
    {
        proc_terminate(self::$server);
        proc_close(self::$server);
    }

    /**
     * @testWith ["HTTP/1.1", "chunked"]
     *           ["HTTP/1.1", "chunked, chunked"]
     *           ["HTTP/1.0", "chunked"]
     */
    public function testABodyWithoutALengthIsRefused(string $version, string $coding): void
    {
        $head = "GET /healthz $version\r\nHost: a\r\nConnection: keep-alive\r\nTransfer-Encoding: $coding";
        $answer = self::ask("$head\r\n\r\n0\r\n\r\nGET /healthz HTTP/1.1\r\nHost: a\r\n\r\n");

        self::assertStringStartsWith('HTTP/1.1 411 ', $answer);
        self::assertStringContainsString("\r\nContent-Type: application/problem+json\r\n", $answer);
        self::assertSame(1, substr_count($answer, 'HTTP/1.1 '));
    }

    /**
     * @testWith ["GET /a%00b", "HTTP/1.1", "chunked, chunked"]
     *           ["GET /a%00b", "HTTP/1.0", "chunked"]
     *           ["OPTIONS *", "HTTP/1.1", "chunked, chunked"]
     *           ["TRACE /", "HTTP/1.1", "chunked, chunked"]
     */
    public function testItEndsTheConnectionWhoeverAnswers(string $line, string $version, string $coding): void
    {
        $head = "$line $version\r\nHost: a\r\nConnection: keep-alive\r\nTransfer-Encoding: $coding";

        self::assertSame(1, substr_count(self::ask("$head\r\n\r\n0\r\n\r\n"), 'HTTP/1.1 '));
    }

    /** Its client sends nothing of it. */
    public function testABodyThatIsTooLargeIsNotWaitedFor(): void
    {
        $answer = self::ask("GET /healthz HTTP/1.1\r\nHost: a\r\nContent-Length: 65537\r\n\r\n");

        self::assertStringStartsWith('HTTP/1.1 413 ', $answer);
    }

    /** No process of the pool has to read it. */
    public function testABodyIsReadAndLeftUnused(): void
    {
        $body = str_repeat('x', 65_536);
        $head = "GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 65536";

        self::assertStringStartsWith('HTTP/1.1 200 ', self::ask("$head\r\n\r\n$body"));
    }

    /** What comes until the server ends the connection. */
    private static function ask(string $bytes): string
    {
        $client = fsockopen('127.0.0.1', self::$port);
        stream_set_timeout($client, 10);
        fwrite($client, $bytes);
        $answer = stream_get_contents($client);
        self::assertTrue(feof($client));

        return $answer;
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
