<?php

/** Every request begins and ends here. */

declare(strict_types=1);

use Samewire\Shortener\CheckHealth;
use Samewire\Shortener\CreateLink;
use Samewire\Shortener\Database;
use Samewire\Shortener\FollowLink;
use Samewire\Shortener\Problem;
use Samewire\Shortener\Request;
use Samewire\Shortener\Response;
use Samewire\Shortener\ShowLink;

// A warning is a failure like any other: it ends the request.
set_error_handler(static function (int $level, string $message, string $file, int $line): never {
    throw new ErrorException($message, 0, $level, $file, $line);
});

$route = static function (Request $request): Response {
    $path = $request->segments;
    $database = new Database();

    return match (true) {
        $path === ['healthz'] => $request->isRead()
            ? (new CheckHealth($database))()
            : throw Problem::methodNotAllowed('GET, HEAD'),
        $path === ['links'] => $request->method === 'POST'
            ? (new CreateLink($database))($request)
            : throw Problem::methodNotAllowed('POST'),
        count($path) === 1 && $path[0] !== '' => $request->isRead()
            ? (new FollowLink($database))($path[0])
            : throw Problem::methodNotAllowed('GET, HEAD'),
        count($path) === 2 && $path[0] === 'links' && $path[1] !== '' => $request->isRead()
            ? (new ShowLink($database))($path[1])
            : throw Problem::methodNotAllowed('GET, HEAD'),
        default => throw new Problem(404, 'No such resource.'),
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
