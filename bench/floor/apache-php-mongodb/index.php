<?php

/** The shortener's lookup; the driver keeps the connection, under URL and options, as it does for the server. */

declare(strict_types=1);

use MongoDB\Driver\Manager;
use MongoDB\Driver\Query;

$manager = new Manager(getenv('MONGODB_URL'), [
    'connectTimeoutMS' => 5000,
    'serverSelectionTimeoutMS' => 5000,
    'socketTimeoutMS' => 5000,
]);
$cursor = $manager->executeQuery(
    getenv('MONGODB_COLLECTION'),
    new Query(['_id' => basename($_SERVER['REQUEST_URI'])], ['limit' => 1, 'singleBatch' => true]),
);
$cursor->setTypeMap(['root' => 'array']);
$link = $cursor->toArray()[0];

header("Location: $link[url]", response_code: 301);
header('Content-Length: 0');
