<?php

/** Every request begins and ends here, but those for the page and its files: they are httpd's. See preload.php, too. */

declare(strict_types=1);

use Samewire\Chat\JsonBody;
use Samewire\Chat\Problem;
use Samewire\Chat\Response;
use Samewire\Chat\Room;
use Samewire\Chat\RoomController;

$room = new RoomController(new Room());

$method = $_SERVER['REQUEST_METHOD'];
$path = rawurldecode((string) parse_url($_SERVER['REQUEST_URI'], PHP_URL_PATH));

try {
    $response = match ($path) {
        '/healthz' => match ($method) {
            'GET', 'HEAD' => new Response(200, ['status' => 'ok']),
            default => throw Problem::methodNotAllowed('GET, HEAD'),
        },
        '/messages' => match ($method) {
            'GET', 'HEAD' => $room->list($_GET),
            'POST' => $room->post(JsonBody::read()),
            default => throw Problem::methodNotAllowed('GET, HEAD, POST'),
        },
        '/events' => match ($method) {
            'GET', 'HEAD' => $room->listen($_GET, $_SERVER['HTTP_LAST_EVENT_ID'] ?? null),
            default => throw Problem::methodNotAllowed('GET, HEAD'),
        },
        '/presence' => match ($method) {
            'GET', 'HEAD' => $room->presence(),
            default => throw Problem::methodNotAllowed('GET, HEAD'),
        },
        default => throw new Problem(404, 'No such resource.'),
    };
    $response->send();
} catch (Problem $problem) {
    $problem->toResponse()->send();
} catch (Throwable $error) {
    (new Problem(500, 'Something went wrong.'))->toResponse()->send();
    throw $error; // PHP logs it with its stack trace.
}
