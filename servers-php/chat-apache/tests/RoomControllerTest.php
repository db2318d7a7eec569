<?php

declare(strict_types=1);

namespace Samewire\Chat\Tests;

use PHPUnit\Framework\TestCase;
use Samewire\Chat\Room;
use Samewire\Chat\RoomController;

final class RoomControllerTest extends TestCase
{
    public function testNamesAndTextsStayAsTheyWereSent(): void
    {
        $room = $this->createMock(Room::class);
        $text = str_repeat('🦜', 500);
        $room->expects(self::once())->method('post')->with(' Zoë ', $text)->willReturn(['id' => 1]);

        $response = (new RoomController($room))->post(json_encode(['user' => ' Zoë ', 'text' => $text]));

        self::assertSame(201, $response->status);
    }

    public function testAPollMakesPresent(): void
    {
        $room = $this->createMock(Room::class);
        $room->expects(self::once())->method('keepHere')->with('ana')->willReturn(true);
        $room->expects(self::once())->method('after')->with(7)->willReturn(['messages' => []]);

        (new RoomController($room))->list(['after' => '7', 'user' => 'ana']);
    }

    /**
     * @testWith ["no JSON"]
     *           ["[]"]
     *           ["{\"user\":\"ana\"}"]
     *           ["{\"user\":5,\"text\":\"oi\"}"]
     *           ["{\"user\":\"\",\"text\":\"oi\"}"]
     *           ["{\"user\":\"a\\u0085\",\"text\":\"oi\"}"]
     *           ["{\"user\":\"ana\",\"text\":\"oi\\n\"}"]
     */
    public function testABadMessageChangesNothing(string $json): void
    {
        $room = $this->createMock(Room::class);
        $room->expects(self::never())->method('post');

        $this->expectExceptionCode(400);
        (new RoomController($room))->post($json);
    }

    /**
     * @testWith [{"after": "-1"}]
     *           [{"after": "9223372036854775808"}]
     *           [{"after": ["1"]}]
     *           [{"user": ""}]
     *           [{"user": ["ana"]}]
     *           [{"user": "ana", "wait": "-1"}]
     *           [{"user": "ana", "wait": "21"}]
     *           [{"user": "ana", "wait": "0.5"}]
     */
    public function testABadPollMakesNobodyPresent(array $query): void
    {
        $room = $this->createMock(Room::class);
        $room->expects(self::never())->method('keepHere');

        $this->expectExceptionCode(400);
        (new RoomController($room))->list($query);
    }
}
