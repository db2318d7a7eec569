<?php

declare(strict_types=1);

namespace Samewire\Todo;

final class DeleteTodo
{
    private const SQL = 'delete from todos where id = $1';

    public function __construct(private readonly Database $database)
    {
    }

    public function __invoke(string $id): Response
    {
        $number = Todo::id($id);
        $deleted = $this->database->execute('delete_todo', self::SQL, (string) $number)->rowCount();

        return $deleted === 1 ? new Response(204) : throw Problem::noSuchTodo();
    }
}
