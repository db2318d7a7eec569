<?php

/** Every request begins and ends here. */

declare(strict_types=1);

use Samewire\Raytracer\CheckHealth;
use Samewire\Raytracer\Problem;
use Samewire\Raytracer\Raytracer;
use Samewire\Raytracer\RenderPicture;
use Samewire\Raytracer\Request;
use Samewire\Raytracer\Response;

spl_autoload_register(static function (string $class): void {
    $folder = $class === Raytracer::class ? __DIR__ . '/../_shared/raytracer/src' : __DIR__ . '/src';
    require $folder . '/' . basename(strtr($class, '\\', '/')) . '.php';
});

// A warning is a failure like any other: it ends the request.
set_error_handler(static function (int $level, string $message, string $file, int $line): never {
    throw new ErrorException($message, 0, $level, $file, $line);
});

$route = static function (Request $request): Response {
    $render = new RenderPicture(explode(':', getenv('PLACES')));

    return match ($request->segments) {
        ['healthz'] => $request->isRead()
            ? (new CheckHealth())()
            : throw Problem::methodNotAllowed('GET, HEAD'),
        ['render'] => $request->isRead()
            ? $render($request)
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
