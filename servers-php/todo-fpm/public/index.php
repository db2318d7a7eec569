<?php

/** Every request begins and ends here. Its classes are there already: see preload.php. */

declare(strict_types=1);

use Samewire\Todo\Database;
use Samewire\Todo\JsonBody;
use Samewire\Todo\Problem;
use Samewire\Todo\Response;
use Samewire\Todo\TodoController;
use Samewire\Todo\TodoRepository;

$database = new Database();
$todos = new TodoController(new TodoRepository($database));

$method = $_SERVER['REQUEST_METHOD'];
$path = parse_url($_SERVER['REQUEST_URI'], PHP_URL_PATH);
$id = preg_match('~^/todos/([1-9]\d{0,15})$~D', (string) $path, $match) ? (int) $match[1] : null;

try {
    $response = match (true) {
        $path === '/healthz' => match ($method) {
            'GET', 'HEAD' => new Response(200, $database->execute("select 'ok' as status")->fetch()),
            default => throw Problem::methodNotAllowed('GET, HEAD'),
        },
        $path === '/todos' => match ($method) {
            'GET', 'HEAD' => $todos->list($_GET),
            'POST' => $todos->create(JsonBody::read()),
            default => throw Problem::methodNotAllowed('GET, HEAD, POST'),
        },
        $id !== null => match ($method) {
            'GET', 'HEAD' => $todos->show($id),
            'PUT' => $todos->replace($id, JsonBody::read()),
            'PATCH' => $todos->change($id, JsonBody::read()),
            'DELETE' => $todos->delete($id),
            default => throw Problem::methodNotAllowed('GET, HEAD, PUT, PATCH, DELETE'),
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
