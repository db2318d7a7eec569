<?php

declare(strict_types=1);

namespace Samewire\Todo;

final class ListTodos
{
    private const SQL = 'select id, title, completed from todos where id > $1 order by id limit $2';

    public function __construct(private readonly Database $database)
    {
    }

    // #region todo.list
    public function __invoke(Request $request): Response
    {
        $limit = Number::parse($request->query['limit'] ?? '50');
        if ($limit === null || $limit < 1 || $limit > 100) {
            throw new Problem(400, 'limit must be an integer from 1 to 100.');
        }
        $after = Number::parse($request->query['after'] ?? '0');
        if ($after === null) {
            throw new Problem(400, 'after must be a non-negative integer.');
        }

        // One row more than asked for tells whether there is a next page.
        $rows = $this->database->execute('list_todos', self::SQL, (string) $after, (string) ($limit + 1))->fetchAll();
        $items = array_slice($rows, 0, $limit);
        $next = count($rows) > $limit ? end($items)['id'] : null;

        return Response::json(200, ['items' => $items, 'next' => $next]);
    }
    // #endregion todo.list
}
