<?php

declare(strict_types=1);

namespace Samewire\Todo\Tests;

use PHPUnit\Framework\TestCase;
use Samewire\Todo\JsonBody;
use Samewire\Todo\Problem;
use Samewire\Todo\TodoInput;

final class TodoInputTest extends TestCase
{
    public function testATitleStaysAsItWasSent(): void
    {
        $input = self::input('{"title":" <b>m\u00edlk</b> \ud83e\udd5b ","completed":true,"unknown":{}}');

        self::assertSame(' <b>mílk</b> 🥛 ', $input->title);
        self::assertTrue($input->completed);
    }

    public function testWhatIsNotGivenIsNull(): void
    {
        self::assertNull(self::input('{}')->title);
        self::assertNull(self::input('{}')->completed);
    }

    public function testTwoHundredCharactersAreNotTooMany(): void
    {
        $title = str_repeat('🥛', 200);

        self::assertSame($title, self::input(json_encode(['title' => $title]))->title);
    }

    /** @dataProvider broken */
    public function testWhatBreaksARuleIsABadRequest(string $json, string $detail): void
    {
        $this->expectExceptionObject(new Problem(400, $detail));
        self::input($json, 'title', 'completed');
    }

    /** @return iterable<string, array{string, string}> */
    public static function broken(): iterable
    {
        $title = 'title must be a string of 1 to 200 characters, not all of them blank.';
        $json = static fn (mixed $title): string => json_encode(['title' => $title, 'completed' => true]);

        yield 'no title' => ['{"completed":true}', 'title is required.'];
        yield 'no completed' => ['{"title":"milk"}', 'completed is required.'];
        yield 'null' => [$json(null), $title];
        yield 'a number' => [$json(5), $title];
        yield 'a list' => [$json(['milk']), $title];
        yield 'empty' => [$json(''), $title];
        yield 'blank' => [$json("  \n"), $title];
        yield 'too long' => [$json(str_repeat('🥛', 201)), $title];
        yield 'with NUL' => [$json("mi\0lk"), $title];
        yield 'completed a number' => ['{"title":"milk","completed":1}', 'completed must be a boolean.'];
        yield 'completed a string' => ['{"title":"milk","completed":"true"}', 'completed must be a boolean.'];
    }

    private static function input(string $json, string ...$required): TodoInput
    {
        return TodoInput::from(JsonBody::parse($json), $required);
    }
}
