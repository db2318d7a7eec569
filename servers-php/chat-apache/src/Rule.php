<?php

declare(strict_types=1);

namespace Samewire\Chat;

/** What names and texts must be like. */
final class Rule
{
    private const MEMBERS = ['text', 'user'];
    private const USER_LENGTH = 32;
    private const TEXT_LENGTH = 500;

    /**
     * The user and the text of a JSON object; the first rule that is broken ends the request.
     *
     * @param array<string, mixed> $object
     * @return array{string, string}
     */
    public static function message(array $object): array
    {
        $unknown = array_diff(array_keys($object), self::MEMBERS);
        if ($unknown !== []) {
            // The order of bytes in UTF-8 is that of the code points.
            sort($unknown, SORT_STRING);
            throw new Problem(400, "Unknown member: {$unknown[0]}.");
        }

        return [
            self::user($object['user'] ?? null),
            self::string('text', $object['text'] ?? null, self::TEXT_LENGTH),
        ];
    }

    public static function user(mixed $value): string
    {
        return self::string('user', $value, self::USER_LENGTH);
    }

    private static function string(string $name, mixed $value, int $longest): string
    {
        // Characters are code points; PCRE refuses what is not UTF-8.
        return is_string($value) && preg_match("/^[^\\0-\\x1F\\x7F-\\x{9F}]{1,$longest}$/Du", $value) === 1
            ? $value
            : throw new Problem(400, "$name must be a string of 1 to $longest characters.");
    }
}
