<?php

declare(strict_types=1);

if ($_SERVER['REQUEST_METHOD'] === 'PUT') {
    $copy = fopen(getenv('UPLOAD_DIR') . '/copy', 'wb');
    stream_copy_to_stream(fopen('php://input', 'rb'), $copy);
    fclose($copy);
    http_response_code(204);
    return;
}
header('Content-Type: application/json');
header('Content-Length: 15');
echo '{"status":"ok"}';
