<?php

declare(strict_types=1);

namespace Samewire\Chat;

/** Server-sent events: the messages of the room, and those that come. */
final class EventStream
{
    private const LOOKS_TO_A_COMMENT = 5; // Only what is sent shows PHP that the client has gone.
    private const SECONDS_HERE = 1; // and up to one more: see Room
    private const MAX_WAITING_BYTES = 1_048_576;

    public function __construct(
        private readonly Room $room,
        private readonly Listener $listener,
        private readonly int $after,
        private readonly ?string $user,
    ) {
    }

    // #region chat.events
    public function send(): void
    {
        header('Content-Type: text/event-stream');
        header('Cache-Control: no-cache');
        if ($_SERVER['REQUEST_METHOD'] === 'HEAD') {
            return;
        }
        set_time_limit(0);
        ['room' => $room, 'messages' => $messages, 'last' => $last] = $this->room->after($this->after);
        $opening = self::json(['room' => $room, 'last' => $last]);
        echo "event: room\ndata: $opening\n\n";
        $this->write($messages);
        unset($messages);
        $sent = max($this->after, $last);
        for ($look = 1; $this->listener->rest(); $look++) {
            $news = $this->room->after($sent);
            $isForgotten = ($news['messages'][0]['id'] ?? 0) > $sent + 1;
            $waiting = array_sum(array_map(static fn (array $one) => strlen(self::event($one)), $news['messages']));
            if ($news['room'] !== $room || $isForgotten || $waiting > self::MAX_WAITING_BYTES) {
                return;
            }
            if ($news['messages'] !== []) {
                $this->write($news['messages']);
            } elseif ($look % self::LOOKS_TO_A_COMMENT === 0) {
                echo ":\n\n";
                $this->write([]);
            }
            $sent = max($sent, $news['last']);
        }
    }

    /**
     * Ends the request if the client has gone.
     *
     * @param list<array{id: int, user: string, text: string}> $messages
     */
    private function write(array $messages): void
    {
        foreach ($messages as $message) {
            echo self::event($message);
        }
        flush();
        if ($this->user !== null) {
            $this->room->keepHere($this->user, self::SECONDS_HERE);
        }
    }

    // #endregion chat.events

    /** @param array{id: int, user: string, text: string} $message */
    private static function event(array $message): string
    {
        return "id: {$message['id']}\ndata: " . self::json($message) . "\n\n";
    }

    /** @param array<string, mixed> $data */
    private static function json(array $data): string
    {
        return json_encode($data, JSON_THROW_ON_ERROR | JSON_UNESCAPED_SLASHES | JSON_UNESCAPED_UNICODE);
    }
}
