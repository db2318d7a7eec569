<?php

/** Every request begins and ends here. */

declare(strict_types=1);

use Samewire\Chat\CheckHealth;
use Samewire\Chat\ListMessages;
use Samewire\Chat\ListPresence;
use Samewire\Chat\PostMessage;
use Samewire\Chat\Presence;
use Samewire\Chat\Problem;
use Samewire\Chat\Request;
use Samewire\Chat\Response;
use Samewire\Chat\Room;
use Samewire\Chat\SendAsset;
use Samewire\Chat\ShowPage;

spl_autoload_register(static function (string $class): void {
    require __DIR__ . '/src/' . basename(strtr($class, '\\', '/')) . '.php';
});

// A warning is a failure like any other: it ends the request.
set_error_handler(static function (int $level, string $message, string $file, int $line): never {
    throw new ErrorException($message, 0, $level, $file, $line);
});

$route = static function (Request $request): Response {
    $path = $request->segments;
    $room = new Room(getenv('ROOM_LOCK'));
    $presence = new Presence();

    $read = match (true) {
        $path === [''] => new ShowPage(),
        $path === ['healthz'] => new CheckHealth(),
        $path === ['messages'] => new ListMessages($room, $presence),
        $path === ['presence'] => new ListPresence($room, $presence),
        count($path) === 2 && $path[0] === 'assets' => SendAsset::named($path[1]),
        default => null,
    };

    return match (true) {
        $read === null => throw new Problem(404, 'No such resource.'),
        $request->isRead() => $read($request),
        $path !== ['messages'] => throw Problem::methodNotAllowed('GET, HEAD'),
        $request->method === 'POST' => (new PostMessage($room))($request),
        default => throw Problem::methodNotAllowed('GET, HEAD, POST'),
    };
};

try {
    $response = $route(Request::current());
} catch (Problem $problem) {
    $response = $problem->response();
} catch (Throwable $failure) {
    error_log((string) $failure);
    $response = (new Problem(500, 'Internal server error.'))->response();
}

$response->send();
