<?php

declare(strict_types=1);

namespace Samewire\Randoms;

use ErrorException;

/** Writes each result to standard output, which is httpd's. */
final class Log
{
    private ?string $waiting = null;

    /**
     * @param string $mode "none", "sync" or "async"
     * @param string $lock a file whose lock is the right to write
     */
    public function __construct(private readonly string $mode, private readonly string $lock)
    {
    }

    // #region randoms.log
    /** The answer waits until the line is written; or the line, until the answer is sent. */
    public function result(string $line): void
    {
        match ($this->mode) {
            'sync' => $this->write($line),
            'async' => $this->waiting = $line,
            default => null,
        };
    }

    /** To be called at the end: PHP has no thread that would write meanwhile. */
    public function writeWaiting(): void
    {
        if ($this->waiting !== null) {
            flush();
            $this->write($this->waiting);
        }
    }
    // #endregion randoms.log

    private function write(string $line): void
    {
        // A pipe takes a long line in pieces, and all processes write to the same.
        $lock = fopen($this->lock, 'r');
        flock($lock, LOCK_EX);
        try {
            file_put_contents('php://stdout', "$line\n");
        } catch (ErrorException $failure) {
            // Nobody reads any more: no reason to fail the request.
            error_log('Standard output: ' . $failure->getMessage());
        } finally {
            fclose($lock);
        }
    }
}
