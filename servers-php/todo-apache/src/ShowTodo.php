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
        $row = pg_fetch_assoc($this->database->execute(self::SQL, (string) $number));

        return $row !== false ? Response::json(200, Todo::fromRow($row)) : throw Problem::noSuchTodo();
    }
}
