<?php

declare(strict_types=1);

namespace Samewire\Chat;

final class ListMessages
{
    public function __construct(private readonly Room $room, private readonly Presence $presence)
    {
    }

    // #region chat.deliver
    public function __invoke(Request $request): Response
    {
        $after = Number::parse($request->query['after'] ?? '0');
        if ($after === null) {
            throw new Problem(400, 'after must be a non-negative integer.');
        }
        $user = $request->query['user'] ?? null;
        if ($user === null) {
            return Response::json(200, $this->room->after($after));
        }
        $this->presence->renew(Rule::user($user));

        // This client polls: until it comes back, others may have the process.
        return Response::json(200, $this->room->after($after), ['Connection' => 'close']);
    }
    // #endregion chat.deliver
}
