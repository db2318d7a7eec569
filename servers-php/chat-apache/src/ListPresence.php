<?php

declare(strict_types=1);

namespace Samewire\Chat;

final class ListPresence
{
    // Half of the processes (apache.conf).
    private const MANY = 32;

    public function __construct(private readonly Room $room, private readonly Presence $presence)
    {
    }

    public function __invoke(): Response
    {
        $users = $this->presence->users();

        return Response::json(
            200,
            ['room' => $this->room->id(), 'users' => $users],
            // Where many poll, none of them may keep a process in between.
            count($users) > self::MANY ? ['Connection' => 'close'] : [],
        );
    }
}
