<?php

declare(strict_types=1);

namespace Samewire\Todo\Tests;

use PHPUnit\Framework\TestCase;
use Samewire\Todo\JsonBody;
use Samewire\Todo\Problem;

final class JsonBodyTest extends TestCase
{
    /**
     * @testWith ["application/json", true]
     *           ["Application/JSON ; charset=utf-8", true]
     *           ["", false]
     *           ["application/jsonx", false]
     *           ["application/json, text/plain", false]
     *           ["text/plain; a=application/json", false]
     */
    public function testTheMediaType(string $mediaType, bool $isJson): void
    {
        self::assertSame($isJson, JsonBody::isJson($mediaType));
    }

    /** @dataProvider malformed */
    public function testWhatIsNoObjectIsRefused(string $json): void
    {
        $this->expectException(Problem::class);
        JsonBody::parse($json);
    }

    /** @return iterable<string, array{string}> */
    public static function malformed(): iterable
    {
        yield 'empty' => [''];
        yield 'cut' => ['{"title":"milk"'];
        yield 'two values' => ['{}{}'];
        yield 'a list' => ['[]'];
        yield 'a number' => ['5'];
        yield 'null' => ['null'];
        yield 'byte order mark' => ["\u{FEFF}{}"];
        yield 'not UTF-8' => ["{\"title\":\"\xFF\"}"];
        yield 'lone surrogate' => ['{"title":"\ud800"}'];
        yield 'too deep' => [str_repeat('{"a":', 10_000) . '1' . str_repeat('}', 10_000)];
    }
}
