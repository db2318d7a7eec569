<?php

declare(strict_types=1);

namespace Samewire\Randoms;

final class CheckHealth
{
    public function __invoke(): Response
    {
        return Response::json(200, ['status' => 'ok']);
    }
}
