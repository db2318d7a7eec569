<?php

declare(strict_types=1);

namespace Samewire\Report\Tests;

use PHPUnit\Framework\TestCase;
use Samewire\Report\Problem;
use Samewire\Report\ReportController;

final class ReportControllerTest extends TestCase
{
    public function testAListOfTodos(): void
    {
        $todos = ReportController::todos('{"items":[{"id":7,"title":"milk","completed":false,"more":1}],"next":null}');

        self::assertSame(7, $todos[0]->id);
        self::assertSame('milk', $todos[0]->title);
        self::assertSame([], ReportController::todos('{"items":[]}'));
    }

    /**
     * @testWith ["{\"items\":["]
     *           ["[]"]
     *           ["{}"]
     *           ["{\"items\":{}}"]
     *           ["{\"items\":[5]}"]
     *           ["{\"items\":[{\"id\":\"1\",\"title\":\"milk\",\"completed\":true}]}"]
     *           ["{\"items\":[{\"id\":1,\"title\":null,\"completed\":true}]}"]
     *           ["{\"items\":[{\"id\":1,\"title\":\"milk\"}]}"]
     *           ["{\"items\":[{\"id\":9223372036854775808,\"title\":\"milk\",\"completed\":true}]}"]
     */
    public function testWhatIsNoListIsABadUpstream(string $json): void
    {
        $this->expectExceptionObject(new Problem(502, 'The answer of an upstream is bad.'));
        @ReportController::todos($json);
    }
}
