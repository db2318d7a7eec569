<?php

declare(strict_types=1);

namespace Samewire\Upload;

/** The folder of the uploads: a file per id, and below it one for what is still being received. */
final class Folder
{
    private const ID = '/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/D';

    public function __construct(private readonly string $path)
    {
    }

    public function incoming(string $id): string
    {
        return "$this->path/.incoming/.part-$id";
    }

    public function stored(string $id): string
    {
        return preg_match(self::ID, $id) === 1 ? "$this->path/$id" : throw Problem::noSuchUpload();
    }
}
