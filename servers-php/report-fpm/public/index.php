<?php

/** Every request begins and ends here. Its classes are there already (see preload.php), but for Twig's errors. */

declare(strict_types=1);

use Samewire\Report\Page;
use Samewire\Report\Problem;
use Samewire\Report\ReportController;
use Samewire\Report\Response;
use Samewire\Report\Upstreams;

require 'Twig/autoload.php';

$method = $_SERVER['REQUEST_METHOD'];
$path = parse_url($_SERVER['REQUEST_URI'], PHP_URL_PATH);

try {
    if ($method !== 'GET' && $method !== 'HEAD') {
        throw new Problem(405, 'Allowed are GET and HEAD.', ['Allow' => 'GET, HEAD']);
    }
    $response = match ($path) {
        '/healthz' => new Response(200, '{"status":"ok"}', 'application/json'),
        '/report' => (new ReportController(new Upstreams(), new Page()))->show(),
        default => throw new Problem(404, 'No such resource.'),
    };
    $response->send();
} catch (Problem $problem) {
    $problem->toResponse()->send();
} catch (Throwable $error) {
    (new Problem(500, 'Something went wrong.'))->toResponse()->send();
    throw $error; // PHP logs it with its stack trace.
}
