<?php

declare(strict_types=1);

namespace Samewire\Todo;

/** PUT, which needs both members, and PATCH, which sets those that it is given. */
final class UpdateTodo
{
    // One statement: between reading and writing nothing is lost to another client.
    private const SQL = <<<'SQL'
        update todos set title = coalesce($1, title), completed = coalesce($2, completed)
        where id = $3
        returning id, title, completed
        SQL;

    public function __construct(private readonly Database $database)
    {
    }

    // #region todo.update
    public function __invoke(string $id, Request $request): Response
    {
        $required = $request->method === 'PUT' ? ['title', 'completed'] : [];
        $members = Todo::members($request->jsonObject(), $required);
        $number = Todo::id($id);

        $completed = isset($members['completed']) ? ($members['completed'] ? 't' : 'f') : null;
        $title = $members['title'] ?? null;
        $rows = $this->database->execute('update_todo', self::SQL, $title, $completed, (string) $number);

        return Response::json(200, $rows->fetch() ?: throw Problem::noSuchTodo());
    }
    // #endregion todo.update
}
