<?php

/** Every request begins and ends here. */

declare(strict_types=1);

use Samewire\Report\CheckHealth;
use Samewire\Report\Problem;
use Samewire\Report\Request;
use Samewire\Report\Response;
use Samewire\Report\ShowReport;
use Samewire\Report\Upstreams;

spl_autoload_register(static function (string $class): void {
    require __DIR__ . '/src/' . basename(strtr($class, '\\', '/')) . '.php';
});

// A warning is a failure like any other: it ends the request.
set_error_handler(static function (int $level, string $message, string $file, int $line): never {
    throw new ErrorException($message, 0, $level, $file, $line);
});

$route = static function (Request $request): Response {
    $upstreams = new Upstreams(getenv('TODO_URL'), getenv('RAYTRACER_URL'), (int) getenv('UPSTREAM_TIMEOUT_MS'));
    $report = new ShowReport($upstreams);

    return match ($request->segments) {
        ['healthz'] => $request->isRead()
            ? (new CheckHealth())()
            : throw Problem::methodNotAllowed('GET, HEAD'),
        ['report'] => $request->isRead()
            ? $report()
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
