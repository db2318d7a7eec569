<?php

declare(strict_types=1);

namespace Samewire\Todo\Tests;

use PHPUnit\Framework\TestCase;

/** PHP keeps a body over 16 KiB in a temporary file. PHP's own server runs: it can be told another folder for it. */
final class TemporaryFolderTest extends TestCase
{
    private static string $address;

    /** @var resource */
    private static $server;

    public static function setUpBeforeClass(): void
    {
        $socket = stream_socket_server('tcp://127.0.0.1:0');
        self::$address = stream_socket_get_name($socket, false);
        fclose($socket);
        $folder = ['-d', 'upload_tmp_dir=/nowhere', '-d', 'sys_temp_dir=/nowhere'];
        $command = [PHP_BINARY, '-c', '.', ...$folder, '-S', self::$address, 'public/index.php'];
        $environment = ['SERVER_ROOT' => getcwd(), 'PHP_INI_SCAN_DIR' => ''] + getenv();
        $quiet = ['file', '/dev/null', 'w'];
        self::$server = proc_open($command, [1 => $quiet, 2 => $quiet], $pipes, env_vars: $environment);
        for ($tries = 0; $tries < 100 && !@stream_socket_client('tcp://' . self::$address); $tries++) {
            usleep(100_000);
        }
    }

    public static function tearDownAfterClass(): void
    {
        proc_terminate(self::$server);
        proc_close(self::$server);
    }

    /** Half of what is sent is valid JSON, and white space. */
    public function testABodyThatCannotBeKeptIsAFaultOfTheServer(): void
    {
        foreach ([10_000 => 503, 20_000 => 500, 40_000 => 500, 65_536 => 500] as $bytes => $status) {
            $head = "Content-Type: application/json\r\nContent-Length: $bytes";
            $body = str_pad('{"title":"milk"}', $bytes);
            $http = ['method' => 'POST', 'header' => $head, 'content' => $body, 'ignore_errors' => true];
            $context = stream_context_create(['http' => $http]);
            file_get_contents('http://' . self::$address . '/todos', context: $context);

            self::assertStringStartsWith("HTTP/1.1 $status ", $http_response_header[0], "$bytes bytes");
        }
    }
}
