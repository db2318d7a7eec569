<?php

declare(strict_types=1);

namespace Samewire\Todo\Tests;

use PDO;
use PDOException;
use PHPUnit\Framework\TestCase;
use Samewire\Todo\Database;
use Samewire\Todo\Problem;
use Throwable;

final class DatabaseTest extends TestCase
{
    /** phpunit.xml names a port on which nobody listens. */
    public function testADatabaseThatIsAwayIsNoFaultOfOurs(): void
    {
        $this->expectExceptionObject(new Problem(503, 'The database is away.'));
        @(new Database())->execute('select 1');
    }

    /** @dataProvider states */
    public function testOnlyAFaultOfOursStaysAnError(string $state, ?string $detail): void
    {
        $fault = new PDOException("SQLSTATE[$state]");
        $fault->errorInfo = [$state, 7, 'message'];
        $connection = $this->createStub(PDO::class);
        $connection->method('prepare')->willThrowException($fault);
        try {
            @(new Database($connection))->execute('select 1');
        } catch (Throwable $error) {
        }

        // index.php answers 500 to what is no Problem, and PHP logs it.
        self::assertEquals($detail === null ? $fault : new Problem(503, $detail), $error);
    }

    /** @return iterable<string, array{string, ?string}> */
    public static function states(): iterable
    {
        yield 'no connection' => ['08006', 'The database is away.'];
        yield 'too many connections' => ['53300', 'The database is away.'];
        yield 'shut down' => ['57P01', 'The database is away.'];
        yield 'the connection broke' => ['HY000', 'The database is away.'];
        yield 'statement_timeout' => ['57014', 'The database is busy.'];
        yield 'SQL that is wrong' => ['42601', null];
        yield 'a table that is not there' => ['42P01', null];
        yield 'text that cannot be stored' => ['22021', null];
    }
}
