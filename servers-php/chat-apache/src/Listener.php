<?php

declare(strict_types=1);

namespace Samewire\Chat;

use SysvSemaphore;

/** A client that waits for messages. It keeps a process busy: PHP looks at the room again and again. */
final class Listener
{
    private const MAX = 40; // 24 processes are left for all other requests: see MaxRequestWorkers.
    private const MICROSECONDS_TO_LOOK = 100_000;

    /** The end of a request gives the place back, however it ends. */
    private readonly SysvSemaphore $place;

    public function __construct()
    {
        $this->place = sem_get((int) getenv('LISTENERS'), self::MAX, 0600);
        if (!sem_acquire($this->place, non_blocking: true)) {
            throw new Problem(503, 'No more clients can listen now.', ['Retry-After' => '5']);
        }
    }

    /** Sleeps until it is time to look. False when httpd stops: then its file is gone. */
    public function rest(): bool
    {
        usleep(self::MICROSECONDS_TO_LOOK);
        clearstatcache();

        return is_file(getenv('PID_FILE'));
    }
}
