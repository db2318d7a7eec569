<?php

declare(strict_types=1);

namespace Samewire\Todo;

final class CreateTodo
{
    private const SQL = 'insert into todos (title, completed) values ($1, $2) returning id, title, completed';

    public function __construct(private readonly Database $database)
    {
    }

    // #region todo.create
    public function __invoke(Request $request): Response
    {
        $members = Todo::members($request->jsonObject(), ['title']);
        $completed = $members['completed'] ?? false;

        $todo = $this->database->execute('create_todo', self::SQL, $members['title'], $completed ? 't' : 'f')->fetch();

        return Response::json(201, $todo, ['Location' => "/todos/{$todo['id']}"]);
    }
    // #endregion todo.create
}
