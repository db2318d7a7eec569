<?php

declare(strict_types=1);

namespace Samewire\Shortener\Tests;

use PHPUnit\Framework\TestCase;
use Samewire\Shortener\LinkController;
use Samewire\Shortener\LinkRepository;
use Samewire\Shortener\Problem;

final class LinkControllerTest extends TestCase
{
    private const URL = 'http://example.org/';

    public function testAKnownHashRedirects(): void
    {
        $links = $this->createMock(LinkRepository::class);
        $links->expects(self::once())->method('find')->with('dktPz4')->willReturn(self::URL);

        $response = (new LinkController($links))->follow('dktPz4');

        self::assertSame(301, $response->status);
        self::assertSame(['Location' => self::URL], $response->headers);
    }

    public function testTheAnswerForAnUnknownHashIsEmpty(): void
    {
        $response = (new LinkController($this->createStub(LinkRepository::class)))->follow('dktPz4');

        self::assertSame(404, $response->status);
        self::assertNull($response->body);
    }

    public function testALinkThatIsNotThereIsAProblem(): void
    {
        $this->expectExceptionObject(new Problem(404, 'No such link.'));
        (new LinkController($this->createStub(LinkRepository::class)))->show('dktPz4');
    }

    public function testAHashThatIsTakenIsNotOverwritten(): void
    {
        $hashes = [];
        $links = $this->createStub(LinkRepository::class);
        $links->method('insert')->willReturnCallback(function (string $hash) use (&$hashes): bool {
            $hashes[] = $hash;

            return count($hashes) === 3;
        });

        $response = (new LinkController($links))->create(json_encode(['url' => self::URL]));

        self::assertSame(201, $response->status);
        self::assertSame(['hash' => $hashes[2], 'url' => self::URL], $response->body);
        self::assertSame(['Location' => "/$hashes[2]"], $response->headers);
        self::assertMatchesRegularExpression('/^[0-9A-Za-z]{6}$/D', $hashes[2]);
        self::assertCount(3, array_unique($hashes));
    }

    /**
     * @testWith ["http://example.org"]
     *           ["HTTPS://www.a-b.example.org:8080/a/b.html?c=d&e#f"]
     *           ["http://192.0.2.1/%C3%A9"]
     *           ["http://[2001:db8::1]/"]
     */
    public function testAUrlStaysAsItWasSent(string $url): void
    {
        self::assertSame($url, LinkController::url(json_encode(['url' => $url])));
    }

    /** @dataProvider refused */
    public function testWhatIsNoUrlIsRefused(string $json): void
    {
        $this->expectExceptionCode(400);
        LinkController::url($json);
    }

    /** @return iterable<string, array{string}> */
    public static function refused(): iterable
    {
        yield 'no JSON' => ['{"url":"http://example.org/"'];
        yield 'a list' => ['["http://example.org/"]'];
        yield 'no url' => ['{}'];
        yield 'a number' => ['{"url":5}'];
        yield 'no scheme' => ['{"url":"example.org"}'];
        yield 'no host' => ['{"url":"http://"}'];
        yield 'another scheme' => ['{"url":"javascript://example.org/"}'];
        yield 'a line break' => ['{"url":"http://example.org/\r\nSet-Cookie: a=b"}'];
        yield 'a line break at the end' => ['{"url":"http://example.org/\n"}'];
        yield 'a space' => ['{"url":"http://example.org/ "}'];
        yield 'not ASCII' => ['{"url":"http://example.org/é"}'];
        yield 'too long' => ['{"url":"http://example.org/' . str_repeat('a', 2030) . '"}'];
    }
}
