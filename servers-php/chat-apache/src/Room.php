<?php

declare(strict_types=1);

namespace Samewire\Chat;

use APCUIterator;

/**
 * The room, in APCu's memory: all processes share it, and it is new with each start of httpd.
 *
 * Under "room" is its id, under "{id}/last" the number of its last message, under "{id}/1" and so on are the messages.
 * If this memory is ever full, APCu forgets everything at once. Then a new room begins. Clients see it by its id.
 */
class Room
{
    private const SHOWN = 1000;
    private const KEPT = 1100; // a reader still finds the oldest that are shown when new ones come meanwhile
    private const SECONDS_HERE = 2; // and up to one more: APCu counts whole seconds

    // #region chat.post-message
    /** @return array{room: string, id: int, user: string, text: string} */
    public function post(string $user, string $text): array
    {
        // One process at a time. The end of a request gives the turn back.
        $turn = sem_get((int) getenv('SEMAPHORE'), 1, 0600);
        sem_acquire($turn);
        $room = $this->id();
        $id = (int) apcu_fetch("$room/last") + 1;
        $message = ['id' => $id, 'user' => $user, 'text' => $text];
        // Nobody looks for a message before it is counted.
        $isKept = apcu_store("$room/$id", $message) && apcu_store("$room/last", $id);
        apcu_delete("$room/" . ($id - self::KEPT));
        sem_release($turn);

        return $isKept ? ['room' => $room, ...$message] : throw new Problem(503, 'There is no memory for a message.');
    }
    // #endregion chat.post-message

    // #region chat.deliver
    /** @return array{room: string, messages: list<array{id: int, user: string, text: string}>, last: int} */
    public function after(int $after): array
    {
        do {
            $room = $this->id();
            $last = (int) apcu_fetch("$room/last");
            $keys = [];
            for ($id = max($after, $last - self::SHOWN) + 1; $id <= $last; $id++) {
                $keys[] = "$room/$id";
            }
            $messages = apcu_fetch($keys);
        } while (count($messages) < count($keys)); // So many came meanwhile that the oldest are gone.

        return ['room' => $room, 'messages' => array_values($messages), 'last' => $last];
    }
    // #endregion chat.deliver

    // #region chat.presence
    /** False if there is no memory for the name. */
    public function keepHere(string $user, int $seconds = self::SECONDS_HERE): bool
    {
        return apcu_store("here/$user", true, $seconds);
    }

    /** @return array{room: string, users: list<string>} */
    public function presence(): array
    {
        $users = [];
        foreach (new APCUIterator('~^here/~', APC_ITER_KEY) as $key => $entry) {
            $users[] = substr($key, strlen('here/'));
        }
        sort($users, SORT_STRING);

        return ['room' => $this->id(), 'users' => $users];
    }
    // #endregion chat.presence

    private function id(): string
    {
        return apcu_fetch('room')
            ?: apcu_entry('room', static fn (): string => trim(file_get_contents('/proc/sys/kernel/random/uuid')));
    }
}
