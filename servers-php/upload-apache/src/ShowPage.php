<?php

declare(strict_types=1);

namespace Samewire\Upload;

final class ShowPage
{
    public function __invoke(): Response
    {
        $page = file_get_contents(__DIR__ . '/../public/index.html');

        return new Response(200, ['Content-Type' => 'text/html; charset=utf-8'], $page);
    }
}
