<?php

/** Tests of the multipart reader: every body whole, byte by byte, and in blocks of a few sizes. */

declare(strict_types=1);

use Samewire\Upload\MultipartReader;
use Samewire\Upload\Problem;

spl_autoload_register(static function (string $class): void {
    require __DIR__ . '/../src/' . basename(strtr($class, '\\', '/')) . '.php';
});

set_error_handler(static function (int $level, string $message, string $file, int $line): never {
    throw new ErrorException($message, 0, $level, $file, $line);
});

$read = static function (string $body, int $block): array|string {
    $source = static function () use (&$body, $block): string {
        [$bytes, $body] = [substr($body, 0, $block), substr($body, $block)];

        return $bytes;
    };
    $reader = new MultipartReader($source, 'b');
    $parts = [];
    try {
        while (($part = $reader->nextPart()) !== null) {
            $content = '';
            while (($bytes = $reader->read()) !== '') {
                $content .= $bytes;
            }
            $parts[] = [$part->field, $part->fileName, $content];
        }
    } catch (Problem $problem) {
        return $problem->getMessage();
    }

    return $body === '' ? $parts : 'The epilogue was not read.';
};

$malformed = 'Malformed multipart body.';
$part = static fn (string $disposition, string $content = ''): string
    => "--b\r\nContent-Disposition: $disposition\r\n\r\n$content\r\n";
$file = static fn (string $name, string $content = ''): string
    => $part("form-data; name=\"files\"; filename=\"$name\"", $content);

$tests = [
    'no part' => ['--b--', []],
    'a file' => [$file('a.txt', 'content') . '--b--', [['files', 'a.txt', 'content']]],
    'two files' => [$file('a', 'x') . $file('b', 'y') . "--b--\r\n", [['files', 'a', 'x'], ['files', 'b', 'y']]],
    'an empty file' => [$file('a') . '--b--', [['files', 'a', '']]],
    'preamble and epilogue' => ["a\r\n--c\r\n" . $file('a', 'x') . '--b--c' . "\r\n--b\r\n", [['files', 'a', 'x']]],
    'delimiters that are none' => [
        $file('a', "\r\n--\r\n-\r\n\r\r\n--a--b\n--b\r--b\r\n-") . '--b--',
        [['files', 'a', "\r\n--\r\n-\r\n\r\r\n--a--b\n--b\r--b\r\n-"]],
    ],
    'a field' => [$part('form-data; name=note', 'x') . '--b--', [['note', null, 'x']]],
    'an empty file name' => [$file('', 'x') . '--b--', [['files', null, 'x']]],
    'no name' => [$part('form-data; filename=a') . '--b--', [['', 'a', '']]],
    'an attachment' => [$part('attachment; filename=a') . '--b--', [['', null, '']]],
    'no disposition' => ["--b\r\nA: b\r\n\r\nx\r\n--b--", [['', null, 'x']]],
    'no headers' => ["--b\r\n\r\nx\r\n--b--", [['', null, 'x']]],
    'other case, blanks' => [
        "--b\r\nX: \r\ncontent-DISPOSITION:\tForm-Data ; NAME=files ;\tFileName=a ; x=y \r\n\r\n\r\n--b--",
        [['files', 'a', '']],
    ],
    'folders' => [$file('C:\\dir/x\\a b') . '--b--', [['files', 'a b', '']]],
    'folder only' => [$file('dir/') . '--b--', [['files', '', '']]],
    'escapes' => [$file('\\"a%22%0a%0D%41\\"') . '--b--', [['files', "\"a\"\n\r%41\"", '']]],
    'semicolons' => [$file('a; filename=\\"b') . '--b--', [['files', 'a; filename="b', '']]],
    'UTF-8' => [$file('ü☃😀') . '--b--', [['files', 'ü☃😀', '']]],
    'headers of 8 KiB' => ["--b\r\nA:" . str_repeat('a', 8190) . "\r\n\r\n\r\n--b--", [['', null, '']]],
    'headers over 8 KiB' => ["--b\r\nA:" . str_repeat('a', 8191) . "\r\n\r\n\r\n--b--", $malformed],
    'headers without end' => ["--b\r\nA:" . str_repeat('a', 20000), $malformed],
    'a name not in UTF-8' => [$file("\xFF") . '--b--', $malformed],
    'a surrogate in a name' => [$file("\xED\xA0\x80") . '--b--', $malformed],
    'NUL in a header' => ["--b\r\nA: \0\r\n\r\n\r\n--b--", $malformed],
    'DEL in a name' => [$file("\x7F") . '--b--', $malformed],
    'a lone line feed in a header' => ["--b\r\nA: a\nB: b\r\n\r\n\r\n--b--", $malformed],
    'no colon' => ["--b\r\nA\r\n\r\n\r\n--b--", $malformed],
    'a quoted string without end' => [$part('form-data; name="files') . '--b--', $malformed],
    'more after a delimiter' => ["--b\r\n\r\n\r\n--bc\r\n\r\n\r\n--b--", $malformed],
];

$whole = "preamble\r\n" . $file('a', "\r\n--") . $part('form-data; name=note', 'x') . '--b--';
for ($length = 0; $length < strlen($whole); $length++) {
    $tests["the first $length bytes"] = [substr($whole, 0, $length), $malformed];
}

$failed = 0;
foreach ($tests as $name => [$body, $expected]) {
    foreach ([1, 2, 3, 7, 4096, 65536] as $block) {
        $received = $read($body, $block);
        if ($received !== $expected) {
            $failed++;
            echo "$name, in blocks of $block: ", var_export($received, true), "\n";
        }
    }
}
echo count($tests), " bodies, $failed failed\n";
exit($failed === 0 ? 0 : 1);
