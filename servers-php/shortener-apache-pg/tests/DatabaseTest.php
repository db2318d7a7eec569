<?php

declare(strict_types=1);

namespace Samewire\Shortener\Tests;

use PHPUnit\Framework\TestCase;
use Samewire\Shortener\Database;
use Samewire\Shortener\Problem;

final class DatabaseTest extends TestCase
{
    /** phpunit.xml names a port on which nobody listens. */
    public function testADatabaseThatIsAwayIsNoFaultOfOurs(): void
    {
        $this->expectExceptionObject(new Problem(503, 'The database is away.'));
        @(new Database())->execute('select 1');
    }
}
