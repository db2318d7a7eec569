<?php

declare(strict_types=1);

$copy = fopen(getenv('UPLOAD_DIR') . '/copy', 'wb');
stream_copy_to_stream(fopen('php://input', 'rb'), $copy);
fclose($copy);
http_response_code(201);
