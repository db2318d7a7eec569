<?php

declare(strict_types=1);

namespace Samewire\Report;

final class ShowReport
{
    private const ESCAPES = ['&' => '&amp;', '<' => '&lt;', '>' => '&gt;', '"' => '&quot;', "'" => '&#39;'];

    public function __construct(private readonly Upstreams $upstreams)
    {
    }

    public function __invoke(): Response
    {
        [$items, $image] = $this->upstreams->fetch();

        return new Response(200, ['Content-Type' => 'text/html; charset=utf-8'], self::page($items, $image));
    }

    /** @param list<object> $items */
    private static function page(array $items, string $image): string
    {
        // What page.phtml is given.
        $total = count($items);
        $completed = count(array_filter(array_column($items, 'completed')));
        $percentage = $total === 0 ? 0 : intdiv(200 * $completed + $total, 2 * $total);
        $escape = static fn (string $text): string => strtr($text, self::ESCAPES);

        ob_start();
        require __DIR__ . '/page.phtml';

        return ob_get_clean();
    }
}
