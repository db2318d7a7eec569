<?php

declare(strict_types=1);

namespace Samewire\Todo;

final class ShowTodo
{
    private const SQL = 'select id, title, completed from todos where id = $1';

    public function __construct(private readonly Database $database)
    {
    }

    public function __invoke(string $id): Response
    {
        $number = Todo::id($id);
        $rows = $this->database->execute('show_todo', self::SQL, (string) $number);

        return Response::json(200, $rows->fetch() ?: throw Problem::noSuchTodo());
    }
}
