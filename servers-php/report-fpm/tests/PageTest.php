<?php

declare(strict_types=1);

namespace Samewire\Report\Tests;

use PHPUnit\Framework\TestCase;
use Samewire\Report\Page;

final class PageTest extends TestCase
{
    public function testEveryValueIsEscaped(): void
    {
        $page = (new Page())->render([self::todo('<script>"&\'', false)], 'image');

        self::assertStringContainsString('<td>&lt;script&gt;&quot;&amp;&#039;</td><td>open</td>', $page);
        self::assertStringContainsString('src="data:image/png;base64,aW1hZ2U="', $page);
    }

    /**
     * @testWith [0, 0, 0]
     *           [1, 8, 13]
     *           [1, 3, 33]
     *           [2, 3, 67]
     *           [1, 200, 1]
     *           [5, 5, 100]
     */
    public function testThePercentageIsRoundedHalfUp(int $completed, int $total, int $percentage): void
    {
        $todos = [];
        for ($n = 0; $n < $total; $n++) {
            $todos[] = self::todo('', $n < $completed);
        }

        self::assertStringContainsString("<dd>$percentage%</dd>", (new Page())->render($todos, ''));
    }

    private static function todo(string $title, bool $completed): object
    {
        return (object) ['id' => 1, 'title' => $title, 'completed' => $completed];
    }
}
