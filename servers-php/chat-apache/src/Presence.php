<?php

declare(strict_types=1);

namespace Samewire\Chat;

use APCUIterator;

/** Who has polled of late: an entry each in APCu, so that nobody waits for another. */
final class Presence
{
    private const KEY = 'here/';
    private const NANOSECONDS = 2_000_000_000;

    // After these APCu may remove an entry; it counts whole seconds, so the value says when the time is up.
    private const LONGEST_SECONDS = 3;

    // #region chat.presence
    /** Present from now on, for a while. */
    public function renew(string $user): void
    {
        // A clock that nobody sets, and the same in all processes.
        $end = hrtime(true) + self::NANOSECONDS;
        if (!apcu_store(self::KEY . $user, $end, self::LONGEST_SECONDS)) {
            throw Problem::full('name');
        }
    }

    /** @return list<string> by code point, which is the order of bytes in UTF-8 */
    public function users(): array
    {
        $now = hrtime(true);
        $users = [];
        $entries = new APCUIterator('~^' . self::KEY . '~', APC_ITER_KEY | APC_ITER_VALUE);
        foreach ($entries as ['key' => $key, 'value' => $end]) {
            if ($end > $now) {
                $users[] = substr($key, strlen(self::KEY));
            }
        }
        sort($users, SORT_STRING);

        return $users;
    }
    // #endregion chat.presence
}
