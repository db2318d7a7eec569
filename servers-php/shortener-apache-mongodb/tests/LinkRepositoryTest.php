<?php

declare(strict_types=1);

namespace Samewire\Shortener\Tests;

use MongoDB\Driver\Exception\BulkWriteException;
use MongoDB\Driver\Exception\CommandException;
use MongoDB\Driver\Exception\ConnectionTimeoutException;
use MongoDB\Driver\Exception\ExecutionTimeoutException;
use MongoDB\Driver\Exception\RuntimeException;
use PHPUnit\Framework\TestCase;
use Samewire\Shortener\LinkRepository;
use Samewire\Shortener\Problem;

final class LinkRepositoryTest extends TestCase
{
    /** Nobody listens on port 1. */
    public function testADatabaseThatIsAwayIsNoFaultOfOurs(): void
    {
        $this->expectExceptionObject(new Problem(503, 'The database is away.'));
        @(new LinkRepository('mongodb://127.0.0.1:1', 'links.links'))->ping();
    }

    /** @dataProvider errors */
    public function testWhatIsAway(RuntimeException $error, bool $isAway): void
    {
        self::assertSame($isAway, LinkRepository::isAway($error));
    }

    /** @return iterable<string, array{RuntimeException, bool}> */
    public static function errors(): iterable
    {
        yield 'no server' => [new ConnectionTimeoutException('No suitable servers found', 13053), true];
        $lost = new ConnectionTimeoutException('Failed to read 4 bytes', 13053);
        yield 'an insert whose connection ends' => [new BulkWriteException('failed due to previous', 0, $lost), true];
        yield 'shutdown in progress' => [new CommandException('The server is in quiesce mode', 91), true];
        yield 'interrupted at shutdown' => [new CommandException('interrupted at shutdown', 11600), true];
        yield 'interrupted by a change of state' => [new CommandException('operation was interrupted', 11602), true];
        yield 'too slow' => [new ExecutionTimeoutException('operation exceeded time limit', 50), true];
        yield 'a command of ours that is wrong' => [new CommandException('unknown operator: $a', 2), false];
        yield 'a field of ours that is unknown' => [new CommandException('BSON field is unknown', 40415), false];
    }
}
