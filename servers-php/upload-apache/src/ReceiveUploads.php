<?php

declare(strict_types=1);

namespace Samewire\Upload;

use ErrorException;
use Throwable;

final class ReceiveUploads
{
    private const FILES = 2;

    /** @var list<IncomingFile> */
    private array $files = [];

    public function __construct(
        private readonly Folder $folder,
        private readonly int $fileLimit,
        private readonly int $requestLimit,
    ) {
    }

    // #region upload.stream-to-disk
    public function __invoke(Request $request): Response
    {
        $reader = $request->multipart($this->requestLimit);

        // Also when PHP ends the script itself: a client that left, no memory, no time.
        $whole = false;
        register_shutdown_function(function () use (&$whole): void {
            $whole || $this->discard();
        });

        try {
            while (($part = $reader->nextPart()) !== null) {
                if ($part->fileName !== null) {
                    $this->receive($part, $reader);
                }
            }
            if ($this->files === []) {
                throw new Problem(400, 'At least one file is required.');
            }
            foreach ($this->files as $file) {
                $file->keep();
            }
            $whole = true;
        } catch (Throwable $failure) {
            $this->discard();

            throw self::isDiskFull($failure) ? Problem::diskFull() : $failure;
        }

        return Response::json(201, ['files' => array_map(static fn ($file) => $file->describe(), $this->files)]);
    }

    private function receive(Part $part, MultipartReader $reader): void
    {
        if ($part->field !== 'files') {
            throw new Problem(400, 'Unexpected file field.');
        }
        if (count($this->files) === self::FILES) {
            throw new Problem(400, 'At most 2 files are accepted.');
        }

        $file = $this->files[] = new IncomingFile($this->folder, $part->fileName, $this->fileLimit);
        while (($bytes = $reader->read()) !== '') {
            $file->write($bytes);
        }
        $file->close();
    }
    // #endregion upload.stream-to-disk

    private function discard(): void
    {
        foreach ($this->files as $file) {
            $file->delete();
        }
        $this->files = [];
    }

    /** PHP tells of ENOSPC and EDQUOT in words alone. */
    private static function isDiskFull(Throwable $failure): bool
    {
        return $failure instanceof ErrorException
            && preg_match('/No space left on device|Disk quota exceeded/', $failure->getMessage()) === 1;
    }
}
