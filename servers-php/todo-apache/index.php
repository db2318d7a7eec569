<?php

/** Every request begins and ends here. */

declare(strict_types=1);

use Samewire\Todo\CheckHealth;
use Samewire\Todo\CreateTodo;
use Samewire\Todo\Database;
use Samewire\Todo\DeleteTodo;
use Samewire\Todo\ListTodos;
use Samewire\Todo\Problem;
use Samewire\Todo\Request;
use Samewire\Todo\Response;
use Samewire\Todo\ShowTodo;
use Samewire\Todo\UpdateTodo;

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
        $path === ['todos'] => match ($request->method) {
            'GET', 'HEAD' => (new ListTodos($database))($request),
            'POST' => (new CreateTodo($database))($request),
            default => throw Problem::methodNotAllowed('GET, HEAD, POST'),
        },
        count($path) === 2 && $path[0] === 'todos' && $path[1] !== '' => match ($request->method) {
            'GET', 'HEAD' => (new ShowTodo($database))($path[1]),
            'PUT', 'PATCH' => (new UpdateTodo($database))($path[1], $request),
            'DELETE' => (new DeleteTodo($database))($path[1]),
            default => throw Problem::methodNotAllowed('GET, HEAD, PUT, PATCH, DELETE'),
        },
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
