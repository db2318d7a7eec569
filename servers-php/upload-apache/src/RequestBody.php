<?php

declare(strict_types=1);

namespace Samewire\Upload;

use RuntimeException;

/** The body of the request, block by block, up to a limit. */
final class RequestBody
{
    private const BLOCK = 65536;
    private const COPY_LIMIT = 262144;

    /** @var resource */
    private $input;

    /** @var resource|null */
    private $copy = null;

    private int $received = 0;

    private int $emptied = 0;

    public function __construct(private readonly int $limit)
    {
        $this->input = fopen('php://input', 'rb');
    }

    /** The next bytes, none at the end. */
    public function read(): string
    {
        // Apache is asked for exactly so many. One more than allowed tells that there are too many.
        $length = min(self::BLOCK, $this->limit - $this->received) ?: 1;
        stream_set_chunk_size($this->input, $length);
        $bytes = fread($this->input, $length);

        $this->received += strlen($bytes);
        if ($this->received > $this->limit) {
            throw Problem::tooLarge();
        }
        // Apache says so in the status when it could not read the body to its end.
        if ($bytes === '' && http_response_code() !== 200) {
            throw Problem::malformed();
        }
        if ($this->received - $this->emptied >= self::COPY_LIMIT) {
            $this->emptyCopy();
        }

        return $bytes;
    }

    /**
     * PHP writes all that it reads from php://input into a temporary file as well, so that it can be read again. Here
     * that file becomes a hole as long as itself: it takes no room on the disk, and PHP goes on at its end.
     */
    private function emptyCopy(): void
    {
        $this->copy ??= self::openCopy();
        // Not if PHP has read ahead.
        if (fstat($this->copy)['size'] === $this->received) {
            ftruncate($this->copy, 0);
            ftruncate($this->copy, $this->received);
        }
        $this->emptied = $this->received;
    }

    /** @return resource */
    private static function openCopy()
    {
        // PHP does not tell its name, but the kernel does: phpXXXXXX in the folder for temporary files.
        foreach (scandir('/proc/self/fd') as $number) {
            $target = is_link("/proc/self/fd/$number") ? readlink("/proc/self/fd/$number") : '';
            if (preg_match('~^php\w{6}$~D', basename($target)) === 1) {
                // By its name: PHP would remember for two minutes to which file the link in /proc had led.
                return fopen($target, 'r+b');
            }
        }

        throw new RuntimeException('PHP keeps its copy of the body elsewhere.');
    }
}
