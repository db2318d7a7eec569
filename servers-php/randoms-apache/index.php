<?php

/** Every request begins and ends here. */

declare(strict_types=1);

use Samewire\Randoms\CheckHealth;
use Samewire\Randoms\Compression;
use Samewire\Randoms\DrawRandoms;
use Samewire\Randoms\Log;
use Samewire\Randoms\Problem;
use Samewire\Randoms\Request;
use Samewire\Randoms\Response;
use Samewire\Randoms\ShowInfo;
use Samewire\Xorshift\Xorshift;

spl_autoload_register(static function (string $class): void {
    $folder = $class === Xorshift::class ? __DIR__ . '/../_shared/xorshift/src' : __DIR__ . '/src';
    require $folder . '/' . basename(strtr($class, '\\', '/')) . '.php';
});

// A warning is a failure like any other: it ends the request.
set_error_handler(static function (int $level, string $message, string $file, int $line): never {
    throw new ErrorException($message, 0, $level, $file, $line);
});

$log = new Log(getenv('LOG'), getenv('LOG_LOCK'));
$compression = new Compression(getenv('COMPRESSION') === 'on', (int) getenv('COMPRESSION_MIN_BYTES'));

$route = static function (Request $request) use ($log): Response {
    $places = explode(':', getenv('PLACES'));
    $randoms = new DrawRandoms($places, $log);

    $action = match ($request->segments) {
        ['healthz'] => new CheckHealth(),
        ['info'] => new ShowInfo(count($places)),
        ['randoms'] => $randoms->inTurn(...),
        ['randoms', 'sync'] => $randoms->atOnce(...),
        default => throw new Problem(404, 'No such resource.'),
    };

    return $request->isRead() ? $action($request) : throw Problem::methodNotAllowed('GET, HEAD');
};

try {
    $response = $route(Request::current());
} catch (Problem $problem) {
    $response = $problem->response();
} catch (Throwable $failure) {
    error_log((string) $failure);
    $response = (new Problem(500, 'Internal server error.'))->response();
}

$compression->apply($response, $_SERVER['HTTP_ACCEPT_ENCODING'] ?? '')->send();
$log->writeWaiting();
