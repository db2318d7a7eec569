<?php

declare(strict_types=1);

namespace Samewire\Chat\Tests;

use PHPUnit\Framework\TestCase;
use Samewire\Chat\Room;

/** Needs APCu on the command line: php -d apc.enable_cli=1 /usr/bin/phpunit. */
final class RoomTest extends TestCase
{
    private Room $room;

    protected function setUp(): void
    {
        apcu_clear_cache();
        $this->room = new Room();
    }

    public static function tearDownAfterClass(): void
    {
        sem_remove(sem_get((int) getenv('SEMAPHORE'), 1, 0600));
    }

    public function testIdsHaveNoGap(): void
    {
        $first = $this->room->post('ana', 'oi');
        $second = $this->room->post('bob', '<b>hi</b>');

        self::assertSame(['room' => $first['room'], 'id' => 1, 'user' => 'ana', 'text' => 'oi'], $first);
        self::assertSame(2, $second['id']);
        self::assertSame(
            [
                'room' => $first['room'],
                'messages' => [['id' => 2, 'user' => 'bob', 'text' => '<b>hi</b>']],
                'last' => 2,
            ],
            $this->room->after(1),
        );
    }

    public function testNothingIsAfterTheLast(): void
    {
        self::assertSame([], $this->room->after(0)['messages']);
        self::assertSame(0, $this->room->after(7)['last']);
    }

    public function testTheNewestThousandAreShown(): void
    {
        for ($id = 1; $id <= 1203; $id++) {
            $this->room->post('ana', "text $id");
        }
        $messages = $this->room->after(0)['messages'];

        self::assertSame(range(204, 1203), array_column($messages, 'id'));
        self::assertSame('text 1203', end($messages)['text']);
    }

    public function testAFullMemoryBeginsANewRoom(): void
    {
        $old = $this->room->post('ana', 'oi')['room'];
        apcu_clear_cache();

        self::assertNotSame($old, $this->room->after(0)['room']);
        self::assertSame(1, $this->room->post('ana', 'oi')['id']);
    }

    public function testWhoIsHereIsSorted(): void
    {
        foreach (['zoe', 'Ana', 'zoe', 'émile'] as $user) {
            $this->room->keepHere($user);
        }

        self::assertSame(['Ana', 'zoe', 'émile'], $this->room->presence()['users']);
    }
}
