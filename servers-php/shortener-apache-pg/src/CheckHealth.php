<?php

declare(strict_types=1);

namespace Samewire\Shortener;

final class CheckHealth
{
    public function __construct(private readonly Database $database)
    {
    }

    public function __invoke(): Response
    {
        $this->database->execute('check_health', 'select 1');

        return Response::json(200, ['status' => 'ok']);
    }
}
