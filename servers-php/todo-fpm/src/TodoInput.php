<?php

declare(strict_types=1);

namespace Samewire\Todo;

use stdClass;

/** What a client sets of a todo; null is what it does not give. */
final class TodoInput
{
    private function __construct(public readonly ?string $title, public readonly ?bool $completed)
    {
    }

    /** @param list<string> $required */
    public static function from(stdClass $body, array $required = []): self
    {
        foreach ($required as $name) {
            property_exists($body, $name) || throw new Problem(400, "$name is required.");
        }
        if (property_exists($body, 'title') && !self::isTitle($body->title)) {
            throw new Problem(400, 'title must be a string of 1 to 200 characters, not all of them blank.');
        }
        if (property_exists($body, 'completed') && !is_bool($body->completed)) {
            throw new Problem(400, 'completed must be a boolean.');
        }

        return new self($body->title ?? null, $body->completed ?? null);
    }

    private static function isTitle(mixed $value): bool
    {
        // PostgreSQL's text has no NUL.
        return is_string($value) && preg_match('/^[^\0]{1,200}$/Du', $value) && trim($value) !== '';
    }
}
