<?php

/** Every request begins and ends here. Its classes are there already: see preload.php. */

declare(strict_types=1);

use Samewire\Randoms\Info;
use Samewire\Randoms\Problem;
use Samewire\Randoms\RandomsController;
use Samewire\Randoms\Response;

$randoms = new RandomsController(getenv('LOG'));

$method = $_SERVER['REQUEST_METHOD'];
$path = parse_url($_SERVER['REQUEST_URI'], PHP_URL_PATH);

try {
    if ($method !== 'GET' && $method !== 'HEAD') {
        throw new Problem(405, 'Allowed are GET and HEAD.', ['Allow' => 'GET, HEAD']);
    }
    $response = match ($path) {
        '/healthz' => new Response(200, ['status' => 'ok']),
        '/info' => new Response(200, Info::ofThisProcess()),
        '/randoms', '/randoms/sync' => $method === 'GET' ? $randoms->draw($_GET) : $randoms->describe($_GET),
        default => throw new Problem(404, 'No such resource.'),
    };
    $response->send();
} catch (Problem $problem) {
    $problem->toResponse()->send();
} catch (Throwable $error) {
    (new Problem(500, 'Something went wrong.'))->toResponse()->send();
    throw $error; // PHP logs it with its stack trace.
}
