<?php

declare(strict_types=1);

namespace Samewire\Todo\Tests;

use PHPUnit\Framework\TestCase;
use Samewire\Todo\Problem;
use Samewire\Todo\TodoController;
use Samewire\Todo\TodoRepository;

final class TodoControllerTest extends TestCase
{
    private const MILK = ['id' => 7, 'title' => 'milk', 'completed' => false];
    private const BREAD = ['id' => 9, 'title' => 'bread', 'completed' => true];

    public function testAFullPageWithMoreAfterItNamesItsLastId(): void
    {
        $todos = $this->createMock(TodoRepository::class);
        $todos->expects(self::once())->method('after')->with(5, 2)->willReturn([self::MILK, self::BREAD]);

        $page = (new TodoController($todos))->list(['limit' => '1', 'after' => '5']);

        self::assertSame(['items' => [self::MILK], 'next' => 7], $page->body);
    }

    public function testTheLastPageHasNoNext(): void
    {
        $todos = $this->createMock(TodoRepository::class);
        $todos->expects(self::once())->method('after')->with(0, 51)->willReturn([self::MILK, self::BREAD]);

        $page = (new TodoController($todos))->list([]);

        self::assertSame(['items' => [self::MILK, self::BREAD], 'next' => null], $page->body);
    }

    /**
     * @testWith ["limit", "0"]
     *           ["limit", "101"]
     *           ["limit", ""]
     *           ["limit", "1e1"]
     *           ["limit", ["1"]]
     *           ["after", "-1"]
     *           ["after", "9007199254740992"]
     */
    public function testParametersOutOfTheirRange(string $name, mixed $value): void
    {
        $this->expectExceptionMessageMatches("/^$name must be an integer/");
        (new TodoController($this->createStub(TodoRepository::class)))->list([$name => $value]);
    }

    public function testANewTodoIsNotCompletedAndHasALocation(): void
    {
        $todos = $this->createMock(TodoRepository::class);
        $todos->expects(self::once())->method('insert')->with('milk', false)->willReturn(self::MILK);

        $created = (new TodoController($todos))->create((object) ['title' => 'milk']);

        self::assertSame(201, $created->status);
        self::assertSame(['Location' => '/todos/7'], $created->headers);
        self::assertSame(self::MILK, $created->body);
    }

    public function testAChangeLeavesWhatItDoesNotGive(): void
    {
        $todos = $this->createMock(TodoRepository::class);
        $todos->expects(self::once())->method('update')->with(9, null, true)->willReturn(self::BREAD);

        self::assertSame(self::BREAD, (new TodoController($todos))->change(9, (object) ['completed' => true])->body);
    }

    public function testATodoThatIsNotThere(): void
    {
        $response = null;
        try {
            (new TodoController($this->createStub(TodoRepository::class)))->delete(7);
        } catch (Problem $problem) {
            $response = $problem->toResponse();
        }

        self::assertSame('application/problem+json', $response?->type);
        self::assertSame(['title' => 'Not Found', 'status' => 404, 'detail' => 'No such todo.'], $response->body);
    }
}
