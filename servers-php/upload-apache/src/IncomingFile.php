<?php

declare(strict_types=1);

namespace Samewire\Upload;

/** A file that is being received: in a folder apart until it is kept. */
final class IncomingFile
{
    private readonly string $id;

    private readonly string $temporary;

    private readonly string $final;

    /** @var resource */
    private $handle;

    private int $size = 0;

    public function __construct(Folder $folder, private readonly string $name, private readonly int $limit)
    {
        $this->id = self::uuid();
        $this->temporary = $folder->incoming($this->id);
        $this->final = $folder->stored($this->id);
        $this->handle = fopen($this->temporary, 'xb');
    }

    public function write(string $bytes): void
    {
        $this->size += strlen($bytes);
        if ($this->size > $this->limit) {
            throw Problem::tooLarge();
        }
        fwrite($this->handle, $bytes);
    }

    public function close(): void
    {
        fclose($this->handle);
    }

    public function keep(): void
    {
        rename($this->temporary, $this->final);
    }

    /** Deletes it, kept or not. */
    public function delete(): void
    {
        foreach ([$this->temporary, $this->final] as $path) {
            if (file_exists($path)) {
                unlink($path);
            }
        }
    }

    /** @return array{id: string, name: string, size: int} */
    public function describe(): array
    {
        return ['id' => $this->id, 'name' => $this->name, 'size' => $this->size];
    }

    /** A random one (RFC 9562, version 4). */
    private static function uuid(): string
    {
        $bytes = random_bytes(16);
        $bytes[6] = chr(ord($bytes[6]) & 0x0F | 0x40);
        $bytes[8] = chr(ord($bytes[8]) & 0x3F | 0x80);

        return vsprintf('%s%s-%s-%s-%s-%s%s%s', str_split(bin2hex($bytes), 4));
    }
}
