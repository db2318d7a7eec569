<?php

declare(strict_types=1);

namespace Samewire\Shortener\Tests;

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
}
