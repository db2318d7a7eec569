<?php

declare(strict_types=1);

namespace Samewire\Todo;

/** @phpstan-type Todo array{id: int, title: string, completed: bool} */
class TodoRepository
{
    public function __construct(private readonly Database $database)
    {
    }

    // #region todo.list
    /** @return list<Todo> */
    public function after(int $id, int $limit): array
    {
        $sql = 'select id, title, completed from todos where id > :id order by id limit :limit';

        return $this->database->execute($sql, id: $id, limit: $limit)->fetchAll();
    }
    // #endregion todo.list

    /** @return ?Todo */
    public function find(int $id): ?array
    {
        $sql = 'select id, title, completed from todos where id = :id';

        return $this->database->execute($sql, id: $id)->fetch() ?: null;
    }

    // #region todo.create
    /** @return Todo */
    public function insert(string $title, bool $completed): array
    {
        $sql = 'insert into todos (title, completed) values (:title, :completed) returning id, title, completed';

        return $this->database->execute($sql, title: $title, completed: $completed)->fetch();
    }
    // #endregion todo.create

    // #region todo.update
    /**
     * What is null stays. One statement, so that no change of another client is lost.
     *
     * @return ?Todo
     */
    public function update(int $id, ?string $title, ?bool $completed): ?array
    {
        $sql = <<<'SQL'
            update todos set title = coalesce(:title, title), completed = coalesce(:completed, completed)
            where id = :id
            returning id, title, completed
            SQL;

        return $this->database->execute($sql, id: $id, title: $title, completed: $completed)->fetch() ?: null;
    }
    // #endregion todo.update

    public function delete(int $id): bool
    {
        return $this->database->execute('delete from todos where id = :id', id: $id)->rowCount() === 1;
    }
}
