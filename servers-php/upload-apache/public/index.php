<?php

/** Every request begins and ends here, but those for the page: it is httpd's. See preload.php, too. */

declare(strict_types=1);

use Samewire\Upload\Problem;
use Samewire\Upload\Response;
use Samewire\Upload\UploadController;

error_reporting(E_ALL); // see php.ini

$uploads = new UploadController(getenv('UPLOAD_DIR'), (int) getenv('MAX_REQUEST_BYTES'));

$method = $_SERVER['REQUEST_METHOD'];
$path = (string) parse_url($_SERVER['REQUEST_URI'], PHP_URL_PATH);
// An id is the name of a file: no other characters get to the disk.
$id = preg_match('~^/uploads/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$~D', $path, $match) ? $match[1] : null;

try {
    $response = match (true) {
        $path === '/healthz' => match ($method) {
            'GET', 'HEAD' => Response::json(200, ['status' => 'ok']),
            default => throw Problem::methodNotAllowed('GET, HEAD'),
        },
        $path === '/uploads' => match ($method) {
            'POST' => $uploads->create($_FILES),
            default => throw Problem::methodNotAllowed('POST'),
        },
        $id !== null => match ($method) {
            'GET', 'HEAD' => $uploads->show($id),
            'DELETE' => $uploads->delete($id),
            default => throw Problem::methodNotAllowed('GET, HEAD, DELETE'),
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
