<?php

declare(strict_types=1);

namespace Samewire\Chat\Tests;

use PHPUnit\Framework\TestCase;

/** Over httpd: a client that leaves, a stop, and the number of places are its matter. */
final class ListenersTest extends TestCase
{
    private int $port;

    /** @var resource */
    private $server;

    protected function setUp(): void
    {
        $socket = stream_socket_server('tcp://127.0.0.1:0');
        $this->port = (int) substr(strrchr(stream_socket_get_name($socket, false), ':'), 1);
        fclose($socket);
        $environment = ['PORT' => (string) $this->port];
        $command = ['setsid', PHP_BINARY, 'start.php'];
        $this->server = proc_open($command, [2 => ['file', '/dev/null', 'w']], $pipes, env_vars: $environment);
        for ($tries = 0; $tries < 100 && !@fsockopen('127.0.0.1', $this->port); $tries++) {
            usleep(100_000);
        }
    }

    protected function tearDown(): void
    {
        proc_terminate($this->server);
        proc_close($this->server);
    }

    public function testAMessageAnswersARequestThatWaits(): void
    {
        $answer = $this->ask('/messages?wait=20&user=ana');
        $this->waitUntilHere(['ana']);
        $begin = hrtime(true);
        $this->post('oi');

        self::assertStringEndsWith('"messages":[{"id":1,"user":"bia","text":"oi"}],"last":1}', self::rest($answer));
        self::assertLessThan(2_000_000_000, hrtime(true) - $begin);
        $this->waitUntilHere([]);
    }

    public function testAWaitHasAnEnd(): void
    {
        $begin = hrtime(true);

        self::assertStringEndsWith('"messages":[],"last":0}', self::rest($this->ask('/messages?wait=1')));
        self::assertGreaterThan(900_000_000, hrtime(true) - $begin);
    }

    public function testAStreamHasWhatIsThereAndWhatComes(): void
    {
        $this->post('one');
        $this->post('two');
        $stream = $this->ask('/events?after=7&user=eva', "Last-Event-ID: 1\r\n");
        self::assertStringContainsString('Content-Type: text/event-stream', self::until($stream, "\r\n\r\n"));
        self::assertMatchesRegularExpression(
            '~event: room\ndata: {"room":"[0-9a-f-]+","last":2}\n\nid: 2\ndata: {"id":2,"user":"bia","text":"two"}~',
            self::until($stream, '"two"}'),
        );
        $this->post('three');
        self::until($stream, "id: 3\ndata: {\"id\":3,\"user\":\"bia\",\"text\":\"three\"}\n\n");
        self::until($stream, ":\n\n");
        $this->waitUntilHere(['eva']);
        fclose($stream);
        $this->waitUntilHere([]);
    }

    public function testHeadHasNoStream(): void
    {
        $head = self::rest($this->ask('/events', method: 'HEAD'));

        self::assertStringContainsString('Content-Type: text/event-stream', $head);
        self::assertStringContainsString('Cache-Control: no-cache', $head);
    }

    public function testThereAre40Places(): void
    {
        $streams = array_map(fn (): mixed => $this->ask('/events'), range(1, 40));
        array_map(static fn (mixed $stream): string => self::until($stream, 'event: room'), $streams);
        foreach (['/events', '/messages?wait=20'] as $target) {
            $refusal = self::rest($this->ask($target));
            self::assertStringStartsWith('HTTP/1.1 503 ', $refusal);
            self::assertStringContainsString("\r\nRetry-After: 5\r\n", $refusal);
        }
        self::assertStringStartsWith('HTTP/1.1 200 ', self::rest($this->ask('/messages')));
        array_map(fclose(...), $streams);
        sleep(2);

        self::assertStringStartsWith('HTTP/1.1 200 ', self::rest($this->ask('/messages?wait=1')));
    }

    public function testAStopEndsThemAll(): void
    {
        $stream = $this->ask('/events');
        self::until($stream, 'event: room');
        $answer = $this->ask('/messages?wait=20&user=ana');
        $this->waitUntilHere(['ana']);
        $begin = hrtime(true);
        proc_terminate($this->server, SIGWINCH);

        self::assertStringEndsWith("0\r\n\r\n", self::rest($stream));
        self::assertStringEndsWith('"messages":[],"last":0}', self::rest($answer));
        self::assertLessThan(3_000_000_000, hrtime(true) - $begin);
    }

    /** @return resource */
    private function ask(string $target, string $fields = '', string $method = 'GET')
    {
        $client = fsockopen('127.0.0.1', $this->port);
        stream_set_timeout($client, 10);
        fwrite($client, "$method $target HTTP/1.1\r\nHost: a\r\nConnection: close\r\n$fields\r\n");

        return $client;
    }

    private function post(string $text): void
    {
        $body = json_encode(['user' => 'bia', 'text' => $text]);
        $fields = "Content-Type: application/json\r\nContent-Length: " . strlen($body) . "\r\n";
        $client = $this->ask('/messages', $fields, 'POST');
        fwrite($client, $body);
        self::assertStringStartsWith('HTTP/1.1 201 ', self::rest($client));
    }

    /** @param list<string> $users */
    private function waitUntilHere(array $users): void
    {
        $end = '"users":' . json_encode($users) . '}';
        for ($tries = 0; $tries < 40 && !str_ends_with($here = self::rest($this->ask('/presence')), $end); $tries++) {
            usleep(100_000);
        }
        self::assertStringEndsWith($end, $here);
    }

    /**
     * What comes up to this text, and not after it.
     *
     * @param resource $client
     */
    private static function until($client, string $end): string
    {
        $answer = '';
        while (!str_ends_with($answer, $end)) {
            $byte = fgetc($client);
            self::assertIsString($byte, $answer);
            $answer .= $byte;
        }

        return $answer;
    }

    /**
     * What comes until the server ends the connection.
     *
     * @param resource $client
     */
    private static function rest($client): string
    {
        $answer = stream_get_contents($client);
        self::assertTrue(feof($client));

        return $answer;
    }
}
