<?php

declare(strict_types=1);

namespace Samewire\Chat;

final class PostMessage
{
    public function __construct(private readonly Room $room)
    {
    }

    public function __invoke(Request $request): Response
    {
        [$user, $text] = Rule::message($request->jsonObject());

        return Response::json(201, $this->room->post($user, $text));
    }
}
