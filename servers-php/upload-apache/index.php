<?php

/** Every request begins and ends here. */

declare(strict_types=1);

use Samewire\Upload\CheckHealth;
use Samewire\Upload\DeleteUpload;
use Samewire\Upload\Folder;
use Samewire\Upload\Problem;
use Samewire\Upload\ReceiveUploads;
use Samewire\Upload\Request;
use Samewire\Upload\Response;
use Samewire\Upload\SendUpload;
use Samewire\Upload\ShowPage;

spl_autoload_register(static function (string $class): void {
    require __DIR__ . '/src/' . basename(strtr($class, '\\', '/')) . '.php';
});

// A warning is a failure like any other: it ends the request.
set_error_handler(static function (int $level, string $message, string $file, int $line): never {
    throw new ErrorException($message, 0, $level, $file, $line);
});

$route = static function (Request $request): Response {
    $path = $request->segments;
    $folder = new Folder(getenv('UPLOAD_DIR'));
    $receive = new ReceiveUploads($folder, (int) getenv('MAX_FILE_BYTES'), (int) getenv('MAX_REQUEST_BYTES'));

    return match (true) {
        $path === [''] => $request->isRead()
            ? (new ShowPage())()
            : throw Problem::methodNotAllowed('GET, HEAD'),
        $path === ['healthz'] => $request->isRead()
            ? (new CheckHealth())()
            : throw Problem::methodNotAllowed('GET, HEAD'),
        $path === ['uploads'] => $request->method === 'POST'
            ? $receive($request)
            : throw Problem::methodNotAllowed('POST'),
        count($path) === 2 && $path[0] === 'uploads' && $path[1] !== '' => match ($request->method) {
            'GET', 'HEAD' => (new SendUpload($folder))($path[1]),
            'DELETE' => (new DeleteUpload($folder))($path[1]),
            default => throw Problem::methodNotAllowed('GET, HEAD, DELETE'),
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
