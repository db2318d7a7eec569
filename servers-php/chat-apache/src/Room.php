<?php

declare(strict_types=1);

namespace Samewire\Chat;

/**
 * The room, in APCu's memory: all processes share it, and it is new with each start of httpd.
 *
 * "room" is its UUID, "UUID/last" the id of its last message, and "UUID/1" and so on are the messages. Should APCu ever
 * run out of memory, it forgets everything in one step. That ends the room; the next one has another UUID, and its ids
 * begin anew.
 */
final class Room
{
    private const ROOM = 'room';
    private const SHOWN = 1000;

    // Some are kept beyond those that are shown: whoever is reading still finds them when new ones come.
    private const SPARE = 100;

    /** @param string $lock a file whose lock is the right to change the room */
    public function __construct(private readonly string $lock)
    {
    }

    public function id(): string
    {
        return (self::find() ?? $this->alone(self::open(...)))[0];
    }

    // #region chat.post-message
    /** @return array{room: string, id: int, user: string, text: string} */
    public function post(string $user, string $text): array
    {
        return $this->alone(static function () use ($user, $text): array {
            // The second attempt is in a new room, if memory ran out in the first.
            for ($attempt = 1; $attempt <= 2; $attempt++) {
                [$room, $last] = self::open();
                $id = $last + 1;
                // Nobody looks for the message before it is counted, and then all before it are there.
                if (
                    apcu_store("$room/$id", ['id' => $id, 'user' => $user, 'text' => $text])
                    && apcu_cas("$room/last", $last, $id)
                ) {
                    apcu_delete("$room/" . ($id - self::SHOWN - self::SPARE));

                    return ['room' => $room, 'id' => $id, 'user' => $user, 'text' => $text];
                }
            }

            throw Problem::full('message');
        });
    }
    // #endregion chat.post-message

    /**
     * The messages that came after one of them, at most the newest that are shown.
     *
     * @return array{room: string, messages: list<array{id: int, user: string, text: string}>, last: int}
     */
    public function after(int $after): array
    {
        // Nearly always nothing comes between; the second time nobody may.
        return self::read($after)
            ?? $this->alone(static function () use ($after): array {
                self::open();

                return self::read($after) ?? throw Problem::full('list');
            });
    }

    /**
     * Null if a message is gone: the room has ended, or so many new ones came meanwhile that it is not shown any more.
     *
     * @return array{room: string, messages: list<array{id: int, user: string, text: string}>, last: int}|null
     */
    private static function read(int $after): ?array
    {
        [$room, $last] = self::find() ?? [null, 0];
        $keys = [];
        for ($id = max($after, $last - self::SHOWN); $id < $last;) {
            $keys[] = "$room/" . ++$id;
        }
        $messages = apcu_fetch($keys);

        return $room !== null && count($messages) === count($keys)
            ? ['room' => $room, 'messages' => array_values($messages), 'last' => $last]
            : null;
    }

    /** @return array{string, int}|null the UUID of the room and its last id */
    private static function find(): ?array
    {
        $room = apcu_fetch(self::ROOM);
        $last = apcu_fetch("$room/last");

        return $last !== false ? [$room, $last] : null;
    }

    /**
     * The room; a new one if there is none. To be called alone.
     *
     * @return array{string, int}
     */
    private static function open(): array
    {
        $room = self::find();
        if ($room === null) {
            $id = self::uuid();
            apcu_store(self::ROOM, $id);
            apcu_store("$id/last", 0);
            $room = self::find() ?? throw Problem::full('room');
        }

        return $room;
    }

    /** A random one (RFC 9562, 5.4). */
    private static function uuid(): string
    {
        $bytes = random_bytes(16);
        $bytes[6] = $bytes[6] & "\x0F" | "\x40";
        $bytes[8] = $bytes[8] & "\x3F" | "\x80";

        return vsprintf('%s%s-%s-%s-%s-%s%s%s', str_split(bin2hex($bytes), 4));
    }

    /** Runs while no other process changes the room. The kernel gives the lock back, too, if this one dies. */
    private function alone(callable $action): mixed
    {
        $lock = fopen($this->lock, 'r');
        flock($lock, LOCK_EX);
        try {
            return $action();
        } finally {
            fclose($lock);
        }
    }
}
