<?php

declare(strict_types=1);

namespace Samewire\Upload;

use ErrorException;

final class DeleteUpload
{
    public function __construct(private readonly Folder $folder)
    {
    }

    public function __invoke(string $id): Response
    {
        $path = $this->folder->stored($id);
        try {
            unlink($path);
        } catch (ErrorException $failure) {
            throw file_exists($path) ? $failure : Problem::noSuchUpload();
        }

        return new Response(204);
    }
}
