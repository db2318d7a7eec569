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
        $deleted = pg_affected_rows($this->database->execute(self::SQL, (string) $number));

        return $deleted === 1 ? new Response(204) : throw Problem::noSuchTodo();
    }
}
