<?php

declare(strict_types=1);

namespace Samewire\Todo\Tests;

use PHPUnit\Framework\TestCase;

/** Where requests and bodies end. The server runs; nobody listens on its database's port. */
final class FramingTest extends TestCase
{
    private static int $port;

    /** @var resource */
    private static $server;

    public static function setUpBeforeClass(): void
    {
        self::$port = self::freePort();
        $environment = ['PORT' => (string) self::$port, 'POSTGRES_URL' => 'postgres://nobody@127.0.0.1:1/todos'];
        $quiet = ['file', '/dev/null', 'w'];
        self::$server = proc_open(['setsid', PHP_BINARY, 'start.php'], [2 => $quiet], $pipes, env_vars: $environment);
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
     * @testWith ["/healthz", "HTTP/1.1", "chunked, chunked"]
     *           ["/healthz", "HTTP/1.0", "chunked"]
     */
    public function testAFramingThatCanBeReadInTwoWaysIsRefused(string $target, string $version, string $coding): void
    {
        $head = "GET $target $version\r\nHost: a\r\nConnection: keep-alive\r\nTransfer-Encoding: $coding";
        $answer = self::ask("$head\r\n\r\n0\r\n\r\n");

        self::assertStringStartsWith('HTTP/1.1 400 ', $answer);
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

    /** What has come is valid JSON, and white space. httpd keeps what is over 16 KiB in a file. */
    public function testABodyThatBreaksOffIsNotTaken(): void
    {
        $head = "POST /todos HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Type: application/json\r\n";
        foreach ([16_384, 32_768, 40_000, 65_536] as $bytes) {
            $body = str_pad('{"title":"milk"}', $bytes);
            $chunk = dechex($bytes) . "\r\n$body\r\n";
            $cut = [
                'Content-Length: ' . $bytes + 1 . "\r\n\r\n$body",
                "Transfer-Encoding: chunked\r\n\r\n$chunk",
                "Transfer-Encoding: chunked\r\n\r\n$chunk-\r\n",
            ];
            foreach ($cut as $rest) {
                self::assertStringStartsWith('HTTP/1.1 4', self::ask($head . $rest, end: true), "$bytes bytes");
            }
            $whole = self::ask("{$head}Transfer-Encoding: chunked\r\n\r\n{$chunk}0\r\n\r\n");
            self::assertStringStartsWith('HTTP/1.1 503 ', $whole, "$bytes bytes");
        }
    }

    /** What comes until the server ends the connection. */
    private static function ask(string $bytes, bool $end = false): string
    {
        $client = fsockopen('127.0.0.1', self::$port);
        stream_set_timeout($client, 10);
        fwrite($client, $bytes);
        if ($end) {
            stream_socket_shutdown($client, STREAM_SHUT_WR);
        }
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
