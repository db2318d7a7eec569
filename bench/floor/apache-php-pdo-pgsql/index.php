<?php

/** The service's lookup; the connection and its statement as the servers have them. */

declare(strict_types=1);

$sql = [
    'shortener' => 'select url from links where hash = $1',
    'todo' => 'select id, title, completed from todos where id = $1',
][getenv('SERVICE')];
// Server, user and database are in libpq's environment: see start.php.
$connection = new PDO('pgsql:', options: [
    PDO::ATTR_PERSISTENT => true,
    PDO::ATTR_TIMEOUT => 5,
    PDO::ATTR_DEFAULT_FETCH_MODE => PDO::FETCH_ASSOC,
    PDO::ATTR_EMULATE_PREPARES => true,
]);
$lookup = $connection->prepare('execute lookup(?)');
$key = basename($_SERVER['REQUEST_URI']);
try {
    $lookup->execute([$key]);
} catch (PDOException) {
    // The first one on its connection, which keeps the statement from now on.
    $connection->exec("prepare lookup as $sql");
    $lookup->execute([$key]);
}
$row = $lookup->fetch();

if (getenv('SERVICE') === 'shortener') {
    header("Location: $row[url]", response_code: 301);
    header('Content-Length: 0');
} else {
    $todo = json_encode($row, JSON_UNESCAPED_SLASHES | JSON_UNESCAPED_UNICODE);
    header('Content-Type: application/json');
    header('Content-Length: ' . strlen($todo));
    echo $todo;
}
