<?php

/** Every request begins and ends here. Its classes are there already: see preload.php. */

declare(strict_types=1);

use Samewire\Raytracer\PictureController;
use Samewire\Raytracer\Problem;
use Samewire\Raytracer\Response;

$pictures = new PictureController();

$method = $_SERVER['REQUEST_METHOD'];
$path = parse_url($_SERVER['REQUEST_URI'], PHP_URL_PATH);

try {
    $response = match ($path) {
        '/healthz' => match ($method) {
            'GET', 'HEAD' => new Response(200, '{"status":"ok"}', 'application/json'),
            default => throw Problem::methodNotAllowed('GET, HEAD'),
        },
        '/render' => match ($method) {
            'GET' => $pictures->show($_GET),
            'HEAD' => $pictures->describe($_GET),
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
