<?php

declare(strict_types=1);

namespace Samewire\Todo;

use stdClass;

final class TodoController
{
    private const MAX_ID = 2 ** 53 - 1;

    public function __construct(private readonly TodoRepository $todos)
    {
    }

    // #region todo.list
    /** @param array<string, mixed> $query */
    public function list(array $query): Response
    {
        $limit = self::integer($query, 'limit', default: 50, min: 1, max: 100);
        $after = self::integer($query, 'after', default: 0, min: 0, max: self::MAX_ID);

        // One more than asked for tells whether there is a next page.
        $todos = $this->todos->after($after, $limit + 1);
        $items = array_slice($todos, 0, $limit);
        $next = count($todos) > $limit ? $items[$limit - 1]['id'] : null;

        return new Response(200, ['items' => $items, 'next' => $next]);
    }
    // #endregion todo.list

    // #region todo.create
    public function create(stdClass $body): Response
    {
        $input = TodoInput::from($body, required: ['title']);
        $todo = $this->todos->insert($input->title, $input->completed ?? false);

        return new Response(201, $todo, ['Location' => "/todos/{$todo['id']}"]);
    }
    // #endregion todo.create

    public function show(int $id): Response
    {
        return self::found($this->todos->find($id));
    }

    // #region todo.update
    public function replace(int $id, stdClass $body): Response
    {
        return $this->update($id, TodoInput::from($body, required: ['title', 'completed']));
    }

    public function change(int $id, stdClass $body): Response
    {
        return $this->update($id, TodoInput::from($body));
    }

    private function update(int $id, TodoInput $input): Response
    {
        return self::found($this->todos->update($id, $input->title, $input->completed));
    }
    // #endregion todo.update

    public function delete(int $id): Response
    {
        return $this->todos->delete($id) ? new Response(204) : self::found(null);
    }

    /** @param ?array<string, mixed> $todo */
    private static function found(?array $todo): Response
    {
        return new Response(200, $todo ?? throw new Problem(404, 'No such todo.'));
    }

    /** @param array<string, mixed> $query */
    private static function integer(array $query, string $name, int $default, int $min, int $max): int
    {
        $range = ['min_range' => $min, 'max_range' => $max];
        $value = filter_var($query[$name] ?? $default, FILTER_VALIDATE_INT, ['options' => $range]);

        return $value !== false ? $value : throw new Problem(400, "$name must be an integer from $min to $max.");
    }
}
