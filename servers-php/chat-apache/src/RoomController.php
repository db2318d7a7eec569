<?php

declare(strict_types=1);

namespace Samewire\Chat;

final class RoomController
{
    public function __construct(private readonly Room $room)
    {
    }

    public function post(string $json): Response
    {
        $message = json_decode($json);
        $user = self::text('user', $message->user ?? null, 32);
        $text = self::text('text', $message->text ?? null, 500);

        return new Response(201, $this->room->post($user, $text));
    }

    /** @param array<string, mixed> $query */
    public function list(array $query): Response
    {
        $after = self::number('after', $query['after'] ?? 0, PHP_INT_MAX);
        $seconds = self::number('wait', $query['wait'] ?? 0, 20);
        $user = $this->seen($query);
        $news = $this->room->after($after);
        if ($news['messages'] === [] && $seconds > 0) {
            $news = $this->await($after, $seconds, $user);
        }

        return new Response(200, $news);
    }

    // #region chat.long-poll
    /** @return array{room: string, messages: list<array{id: int, user: string, text: string}>, last: int} */
    private function await(int $after, int $seconds, ?string $user): array
    {
        $listener = new Listener();
        $end = hrtime(true) + $seconds * 1_000_000_000;
        do {
            $goesOn = $listener->rest();
            if ($user !== null) {
                $this->room->keepHere($user);
            }
            $news = $this->room->after($after);
        } while ($news['messages'] === [] && $goesOn && hrtime(true) < $end);

        return $news;
    }
    // #endregion chat.long-poll

    /** @param array<string, mixed> $query */
    public function listen(array $query, ?string $lastEventId): EventStream
    {
        $after = self::number('after', $query['after'] ?? 0, PHP_INT_MAX);
        if ($lastEventId !== null) {
            $after = self::number('Last-Event-ID', $lastEventId, PHP_INT_MAX);
        }

        return new EventStream($this->room, new Listener(), $after, $this->seen($query));
    }

    public function presence(): Response
    {
        return new Response(200, $this->room->presence());
    }

    /** @param array<string, mixed> $query */
    private function seen(array $query): ?string
    {
        $user = isset($query['user']) ? self::text('user', $query['user'], 32) : null;
        if ($user !== null && !$this->room->keepHere($user)) {
            throw new Problem(503, 'There is no memory for a name.');
        }

        return $user;
    }

    private static function number(string $name, mixed $value, int $max): int
    {
        $number = filter_var($value, FILTER_VALIDATE_INT, ['options' => ['min_range' => 0, 'max_range' => $max]]);

        return $number === false ? throw new Problem(400, "$name must be an integer from 0 to $max.") : $number;
    }

    private static function text(string $name, mixed $value, int $longest): string
    {
        return is_string($value) && preg_match("/^\\P{Cc}{1,$longest}$/Du", $value)
            ? $value
            : throw new Problem(400, "$name must be 1 to $longest characters, none of them a control character.");
    }
}
