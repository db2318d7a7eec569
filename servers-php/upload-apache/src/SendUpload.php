<?php

declare(strict_types=1);

namespace Samewire\Upload;

use ErrorException;

final class SendUpload
{
    public function __construct(private readonly Folder $folder)
    {
    }

    // #region upload.send-file
    public function __invoke(string $id): Response
    {
        $path = $this->folder->stored($id);
        try {
            // Once open, it can be sent to its end even if it is deleted.
            $file = fopen($path, 'rb');
        } catch (ErrorException $failure) {
            throw file_exists($path) ? $failure : Problem::noSuchUpload();
        }

        return new Response(200, [
            'Content-Type' => 'application/octet-stream',
            'Content-Length' => (string) fstat($file)['size'],
            'Content-Disposition' => 'attachment',
            'X-Content-Type-Options' => 'nosniff',
        ], static fn () => fpassthru($file));
    }
    // #endregion upload.send-file
}
