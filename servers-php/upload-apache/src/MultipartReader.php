<?php

declare(strict_types=1);

namespace Samewire\Upload;

use Closure;

/** Reads a multipart body part by part (RFC 2046, 5.1, and RFC 7578), holding a few blocks of it at most. */
final class MultipartReader
{
    // 8 KiB, and the line ends before and after them.
    private const HEADERS_LIMIT = 8192 + 6;

    private readonly string $delimiter;

    // The line end that belongs to a delimiter may be missing before the first one.
    private string $buffer = "\r\n";

    private bool $atDelimiter = false;

    /** @param Closure(): string $source the next bytes of the body, none at its end */
    public function __construct(private readonly Closure $source, string $boundary)
    {
        $this->delimiter = "\r\n--$boundary";
    }

    /** The next part; what is left of the one before is skipped. None after the closing delimiter. */
    public function nextPart(): ?Part
    {
        do {
            $skipped = $this->read();
        } while ($skipped !== '');

        while (strlen($this->buffer) < 2) {
            $this->fill();
        }
        if (str_starts_with($this->buffer, '--')) {
            $this->skipEpilogue();

            return null;
        }
        if (!str_starts_with($this->buffer, "\r\n")) {
            throw Problem::malformed();
        }
        $this->atDelimiter = false;

        return Part::fromHeaders($this->headers());
    }

    /** The next bytes of the part's content, none at its end. */
    public function read(): string
    {
        while (!$this->atDelimiter) {
            $end = strpos($this->buffer, $this->delimiter);
            if ($end !== false) {
                $this->atDelimiter = true;

                return $this->take($end, strlen($this->delimiter));
            }
            $safe = $this->lengthBeforeDelimiter();
            if ($safe > 0) {
                return $this->take($safe);
            }
            $this->fill();
        }

        return '';
    }

    /** How much of the buffer is content for certain: a delimiter may have begun at its end. */
    private function lengthBeforeDelimiter(): int
    {
        $length = strlen($this->buffer);
        $last = strrpos($this->buffer, "\r");
        $begun = $last !== false
            && $length - $last < strlen($this->delimiter)
            && str_starts_with($this->delimiter, substr($this->buffer, $last));

        return $begun ? $last : $length;
    }

    /** The header lines of a part, without the empty line that ends them. */
    private function headers(): string
    {
        // The line end of the delimiter is still there: without any header, the empty line follows at once.
        while (($end = strpos($this->buffer, "\r\n\r\n")) === false && strlen($this->buffer) < self::HEADERS_LIMIT) {
            $this->fill();
        }
        if ($end === false || $end + 4 > self::HEADERS_LIMIT) {
            throw Problem::malformed();
        }

        return substr($this->take($end, 4), 2);
    }

    /** Takes bytes from the beginning of the buffer, and drops some that follow them. */
    private function take(int $length, int $dropped = 0): string
    {
        $taken = substr($this->buffer, 0, $length);
        $this->buffer = substr($this->buffer, $length + $dropped);

        return $taken;
    }

    private function fill(): void
    {
        $bytes = ($this->source)();
        $this->buffer .= $bytes !== '' ? $bytes : throw Problem::malformed();
    }

    private function skipEpilogue(): void
    {
        do {
            $skipped = ($this->source)();
        } while ($skipped !== '');
    }
}
