<?php

declare(strict_types=1);

namespace Samewire\Report;

use JsonException;

final class Todos
{
    // The brackets of 64 levels and the values inside the innermost: json_decode() counts both.
    private const JSON_DEPTH = 65;

    /**
     * The items of a list of todos, as objects; null if it is none.
     *
     * @return list<object{id: int, title: string, completed: bool}>|null
     */
    public static function parse(string $json): ?array
    {
        try {
            $list = json_decode($json, false, self::JSON_DEPTH, JSON_THROW_ON_ERROR);
        } catch (JsonException) {
            return null;
        }
        $items = is_object($list) ? $list->items ?? null : null;
        if (!is_array($items)) {
            return null;
        }
        foreach ($items as $item) {
            if (!self::isItem($item)) {
                return null;
            }
        }

        return $items;
    }

    private static function isItem(mixed $item): bool
    {
        $id = is_object($item) ? $item->id ?? null : null;

        return is_int($id) && $id > 0
            && is_string($item->title ?? null)
            && is_bool($item->completed ?? null);
    }
}
