<?php

declare(strict_types=1);

namespace Samewire\Todo;

final class Todo
{
    private const MEMBERS = ['title', 'completed'];

    /** The id that a path names: a positive integer, or there is no such todo. */
    public static function id(string $segment): int
    {
        return Number::parse($segment) ?: throw Problem::noSuchTodo();
    }

    /**
     * The members of a JSON object that keep the rules; the first rule that is broken ends the request.
     *
     * @param array<string, mixed> $object
     * @param list<string> $required
     * @return array{title?: string, completed?: bool}
     */
    public static function members(array $object, array $required): array
    {
        $unknown = array_diff(array_keys($object), self::MEMBERS);
        if ($unknown !== []) {
            // The order of bytes in UTF-8 is that of the code points.
            sort($unknown, SORT_STRING);
            throw new Problem(422, "Unknown member: {$unknown[0]}.");
        }
        foreach (self::MEMBERS as $name) {
            if (array_key_exists($name, $object)) {
                self::check($name, $object[$name]);
            } elseif (in_array($name, $required, true)) {
                throw new Problem(422, "$name is required.");
            }
        }

        return $object;
    }

    private static function check(string $name, mixed $value): void
    {
        if ($name === 'completed') {
            is_bool($value) ?: throw new Problem(422, 'completed must be a boolean.');
        } elseif (
            !is_string($value)
            || preg_match('/^[^\0]{1,200}$/Du', $value) !== 1
            || trim($value, "\t\n\v\f\r ") === ''
        ) {
            throw new Problem(422, 'title must be a string of 1 to 200 characters.');
        }
    }
}
