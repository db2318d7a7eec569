<?php

/** Both upstreams of UpstreamsTest, below a path that says what they do: `php -S 127.0.0.1:PORT upstream.php`. */

[, $case, $resource] = explode('/', parse_url($_SERVER['REQUEST_URI'], PHP_URL_PATH));
$case === 'late' && sleep(2);
http_response_code($case === 'status' ? 404 : 200);
$type = $resource === 'todos' ? 'application/json' : 'image/png';
header('Content-Type: ' . ($case === 'type' ? 'text/html' : $type));
echo match ($case) {
    'empty' => '',
    'large' => str_repeat($resource, 3_355_444), // a byte over 16 MiB or more
    default => str_repeat($resource, 1_000),
};
