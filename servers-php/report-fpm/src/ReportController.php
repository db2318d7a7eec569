<?php

declare(strict_types=1);

namespace Samewire\Report;

use stdClass;

final class ReportController
{
    private const HEADERS = [
        'Content-Security-Policy' => "default-src 'none'; img-src data:; style-src 'unsafe-inline'; "
            . "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
        'X-Content-Type-Options' => 'nosniff',
    ];

    public function __construct(private readonly Upstreams $upstreams, private readonly Page $page)
    {
    }

    public function show(): Response
    {
        [$json, $image] = $this->upstreams->fetch();

        $page = $this->page->render(self::todos($json), $image);

        return new Response(200, $page, 'text/html; charset=utf-8', self::HEADERS);
    }

    /** @return list<object{id: int, title: string, completed: bool}> */
    public static function todos(string $json): array
    {
        $todos = json_decode($json)->items ?? null;
        if (!is_array($todos) || array_filter($todos, self::isTodo(...)) !== $todos) {
            // All processes together leave one line a minute.
            if (apcu_add('no-todos', true, ttl: 60)) {
                trigger_error('The todo service sends no list of todos.', E_USER_WARNING);
            }
            throw new Problem(502, 'The answer of an upstream is bad.');
        }

        return $todos;
    }

    private static function isTodo(mixed $todo): bool
    {
        return $todo instanceof stdClass
            && is_int($todo->id ?? null)
            && is_string($todo->title ?? null)
            && is_bool($todo->completed ?? null);
    }
}
