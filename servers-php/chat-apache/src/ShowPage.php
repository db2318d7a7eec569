<?php

declare(strict_types=1);

namespace Samewire\Chat;

final class ShowPage
{
    private const POLICY = "default-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

    public function __invoke(): Response
    {
        return new Response(
            200,
            [
                'Content-Type' => 'text/html; charset=utf-8',
                'Content-Security-Policy' => self::POLICY,
                'X-Content-Type-Options' => 'nosniff',
            ],
            file_get_contents(__DIR__ . '/../public/index.html'),
        );
    }
}
