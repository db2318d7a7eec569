<?php

/** Every request begins and ends here. Its classes are there already: see preload.php. */

declare(strict_types=1);

use Samewire\Shortener\Database;
use Samewire\Shortener\JsonBody;
use Samewire\Shortener\LinkController;
use Samewire\Shortener\LinkRepository;
use Samewire\Shortener\Problem;

$links = new LinkController(new LinkRepository(new Database()));

$method = $_SERVER['REQUEST_METHOD'];
$path = (string) parse_url($_SERVER['REQUEST_URI'], PHP_URL_PATH);

try {
    $response = match (true) {
        $path === '/links' => match ($method) {
            'POST' => $links->create(JsonBody::read()),
            default => throw new Problem(405, 'Allowed is POST.', ['Allow' => 'POST']),
        },
        $method !== 'GET' && $method !== 'HEAD'
            => throw new Problem(405, 'Allowed are GET and HEAD.', ['Allow' => 'GET, HEAD']),
        $path === '/healthz' => $links->health(),
        preg_match('~^/(\w+)$~D', $path, $match) === 1 => $links->follow($match[1]),
        preg_match('~^/links/(\w+)$~D', $path, $match) === 1 => $links->show($match[1]),
        default => throw new Problem(404, 'No such resource.'),
    };
    $response->send();
} catch (Problem $problem) {
    $problem->toResponse()->send();
} catch (Throwable $error) {
    (new Problem(500, 'Something went wrong.'))->toResponse()->send();
    throw $error; // PHP logs it with its stack trace.
}
