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
        $after = filter_var($query['after'] ?? 0, FILTER_VALIDATE_INT, ['options' => ['min_range' => 0]]);
        if ($after === false) {
            throw new Problem(400, 'after must be an integer from 0.');
        }
        if (isset($query['user'])) {
            $this->room->keepHere(self::text('user', $query['user'], 32));
        }

        return new Response(200, $this->room->after($after));
    }

    public function presence(): Response
    {
        return new Response(200, $this->room->presence());
    }

    private static function text(string $name, mixed $value, int $longest): string
    {
        return is_string($value) && preg_match("/^\\P{Cc}{1,$longest}$/Du", $value)
            ? $value
            : throw new Problem(400, "$name must be 1 to $longest characters, none of them a control character.");
    }
}
