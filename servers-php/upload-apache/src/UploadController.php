<?php

declare(strict_types=1);

namespace Samewire\Upload;

final class UploadController
{
    private const MAX_FILES = 2;

    /** @param string $folder a file for each upload; upload_tmp_dir is in the same file system */
    public function __construct(private readonly string $folder, private readonly int $maxBytes)
    {
    }

    // #region upload.stream-to-disk
    /**
     * PHP has read the form already: each file is in upload_tmp_dir. What is not moved, it deletes at the end.
     *
     * @param array<string, array<string, mixed>> $fields as in $_FILES
     */
    public function create(array $fields): Response
    {
        if (!preg_match('~^multipart/form-data\s*(;|$)~i', $_SERVER['CONTENT_TYPE'] ?? '')) {
            throw new Problem(415, 'Content-Type must be multipart/form-data.');
        }
        // What PHP has not read, it tells in a warning alone. It compares no form in chunks with post_max_size.
        $warning = error_get_last()['message'] ?? '';
        if (preg_match('/POST .*exceeds/', $warning)) {
            throw new Problem(413, 'The request is too large.');
        }
        $sent = self::sent($fields['files'] ?? []);
        if ($warning !== '') {
            throw new Problem(400, 'The form has too many parts, or is malformed.');
        }
        if (array_sum(array_column($sent, 'size')) > $this->maxBytes) {
            throw new Problem(413, 'The request is too large.');
        }
        $files = [];
        foreach ($sent as ['name' => $name, 'tmp_name' => $path, 'size' => $size]) {
            $id = trim(file_get_contents('/proc/sys/kernel/random/uuid'));
            $files[] = ['id' => $id, 'name' => $name, 'size' => $size];
            if (!@move_uploaded_file($path, "$this->folder/$id")) {
                array_map(fn (array $file): bool => @unlink("$this->folder/$file[id]"), $files);
                throw self::noRoom();
            }
        }

        return Response::json(201, ['files' => $files]);
    }

    /**
     * @param array<string, mixed> $field
     * @return list<array{name: string, tmp_name: string, size: int}>
     */
    public static function sent(array $field): array
    {
        $sent = [];
        // A field that is not named files[], but files, has no lists.
        foreach (is_array($field['error'] ?? null) ? $field['error'] : [] as $i => $error) {
            match ($error) {
                UPLOAD_ERR_OK => $sent[] = array_combine(array_keys($field), array_column($field, $i)),
                UPLOAD_ERR_NO_FILE => null, // a file field that was left empty
                UPLOAD_ERR_INI_SIZE => throw new Problem(413, 'A file is too large.'),
                UPLOAD_ERR_CANT_WRITE, UPLOAD_ERR_NO_TMP_DIR => throw self::noRoom(),
                default => throw new Problem(400, 'The form is not complete.'),
            };
        }
        if (count($sent) < 1 || count($sent) > self::MAX_FILES) {
            throw new Problem(400, 'One or two files are expected in the field files[].');
        }
        if (!preg_match('//u', implode("\n", array_column($sent, 'name')))) {
            throw new Problem(400, 'The name of a file must be UTF-8.');
        }

        return $sent;
    }

    private static function noRoom(): Problem
    {
        // All processes together leave one line a minute.
        if (apcu_add('no-room', true, ttl: 60)) {
            trigger_error('A file cannot be written below UPLOAD_DIR.', E_USER_WARNING);
        }

        return new Problem(507, 'There is no room for the files.');
    }
    // #endregion upload.stream-to-disk

    // #region upload.send-file
    public function show(string $id): Response
    {
        // Once open, it is sent to its end even if it is deleted.
        $file = @fopen("$this->folder/$id", 'rb') ?: throw new Problem(404, 'No such upload.');

        return new Response(200, $file, [
            'Content-Type' => 'application/octet-stream',
            'Content-Length' => fstat($file)['size'],
            'Content-Disposition' => 'attachment',
            'X-Content-Type-Options' => 'nosniff',
        ]);
    }
    // #endregion upload.send-file

    public function delete(string $id): Response
    {
        return @unlink("$this->folder/$id") ? new Response(204) : throw new Problem(404, 'No such upload.');
    }
}
