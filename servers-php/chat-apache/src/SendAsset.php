<?php

declare(strict_types=1);

namespace Samewire\Chat;

final class SendAsset
{
    private const TYPES = [
        'chat.css' => 'text/css; charset=utf-8',
        'chat.js' => 'text/javascript; charset=utf-8',
        'icon.svg' => 'image/svg+xml',
        'room.js' => 'text/javascript; charset=utf-8',
        'socket.io.js' => 'text/javascript; charset=utf-8',
    ];

    // The page is the same with every server.
    private const FOLDER = __DIR__ . '/../../../servers-node/_shared/chat-page/assets';

    private function __construct(private readonly string $name)
    {
    }

    /** Null if there is no such file. */
    public static function named(string $name): ?self
    {
        return isset(self::TYPES[$name]) ? new self($name) : null;
    }

    public function __invoke(): Response
    {
        return new Response(
            200,
            ['Content-Type' => self::TYPES[$this->name], 'X-Content-Type-Options' => 'nosniff'],
            file_get_contents(self::FOLDER . "/$this->name"),
        );
    }
}
