<?php

declare(strict_types=1);

namespace Samewire\Upload\Tests;

use PHPUnit\Framework\TestCase;

final class StartTest extends TestCase
{
    private const GOOD = [
        'HOST' => '127.0.0.1',
        'PORT' => '8080',
        'UPLOAD_DIR' => '/tmp',
    ];

    /**
     * @testWith ["HOST", ""]
     *           ["HOST", "nonsense.invalid"]
     *           ["PORT", ""]
     *           ["PORT", "0"]
     *           ["PORT", "65536"]
     *           ["PORT", "8e3"]
     *           ["UPLOAD_DIR", ""]
     *           ["UPLOAD_DIR", "uploads"]
     *           ["UPLOAD_DIR", "/nowhere"]
     *           ["UPLOAD_DIR", "/dev/null"]
     *           ["UPLOAD_DIR", "/proc"]
     *           ["MAX_FILE_BYTES", ""]
     *           ["MAX_FILE_BYTES", "0"]
     *           ["MAX_FILE_BYTES", "1e6"]
     *           ["MAX_REQUEST_BYTES", ""]
     *           ["MAX_REQUEST_BYTES", "0"]
     *           ["MAX_REQUEST_BYTES", "1e6"]
     *           ["MAX_REQUEST_BYTES", "9223372036854775807"]
     */
    public function testAnUnusableSettingEndsTheProcess(string $name, string $value): void
    {
        [$status, $message] = self::start($name, $value);

        self::assertSame(1, $status);
        self::assertStringContainsString($name, $message);
    }

    public function testALinkIsNotFollowed(): void
    {
        $folder = self::folder();
        symlink($folder, "$folder/.incoming");

        self::assertSame(1, self::start('UPLOAD_DIR', $folder)[0]);
    }

    public function testWhatAKilledServerHasLeftIsDeleted(): void
    {
        $folder = self::folder();
        mkdir("$folder/.incoming");
        touch("$folder/.incoming/phpAbCdEf");
        touch("$folder/kept");

        [, $message] = self::start('UPLOAD_DIR', $folder);

        self::assertStringNotContainsString('Warning', $message);
        self::assertFileDoesNotExist("$folder/.incoming/phpAbCdEf");
        self::assertFileExists("$folder/kept");
    }

    public function testWhatAnotherServerIsReceivingIsKept(): void
    {
        $folder = self::folder();
        mkdir("$folder/.incoming");
        $quiet = ['file', '/dev/null', 'w'];
        $environment = [...self::GOOD, 'PORT' => self::freePort(), 'UPLOAD_DIR' => $folder];
        $other = proc_open(['setsid', PHP_BINARY, 'start.php'], [2 => $quiet], $pipes, env_vars: $environment);
        for ($tries = 0; $tries < 100 && !@fsockopen('127.0.0.1', (int) $environment['PORT']); $tries++) {
            usleep(100_000);
        }
        touch("$folder/.incoming/phpAbCdEf");

        self::start('UPLOAD_DIR', $folder);
        $kept = file_exists("$folder/.incoming/phpAbCdEf");
        proc_terminate($other);
        proc_close($other);
        self::start('UPLOAD_DIR', $folder);

        self::assertTrue($kept);
        self::assertFileDoesNotExist("$folder/.incoming/phpAbCdEf");
    }

    /** @return array{int, string} status and message; a server that does start is stopped after 5 s */
    private static function start(string $name, string $value): array
    {
        $command = ['setsid', '-w', 'timeout', '5', 'env', "$name=$value", PHP_BINARY, 'start.php'];
        $start = proc_open($command, [2 => ['pipe', 'w']], $pipes, env_vars: self::GOOD);
        $message = stream_get_contents($pipes[2]);

        return [proc_close($start), $message];
    }

    /** A port that is free now. */
    private static function freePort(): string
    {
        $socket = stream_socket_server('tcp://127.0.0.1:0');
        $port = substr(strrchr(stream_socket_get_name($socket, false), ':'), 1);
        fclose($socket);

        return $port;
    }

    /** A new folder, of which the name is no pattern. */
    private static function folder(): string
    {
        $folder = sys_get_temp_dir() . '/uploads[' . getmypid() . ']' . uniqid();
        mkdir($folder);
        register_shutdown_function(static fn () => exec('rm -r ' . escapeshellarg($folder)));

        return $folder;
    }
}
