<?php

declare(strict_types=1);

namespace Samewire\Upload;

/** What the headers of a part say. */
final class Part
{
    // Browsers write these three as percent-encodings, and nothing else (HTML, "multipart form data").
    private const ENCODED = ['%0A' => "\n", '%0D' => "\r", '%22' => '"', '%0a' => "\n", '%0d' => "\r"];

    private function __construct(
        /** The name of the form's field. */
        public readonly string $field,
        /** The last segment of the client's file name; null if the part is no file. */
        public readonly ?string $fileName,
    ) {
    }

    public static function fromHeaders(string $headers): self
    {
        // All but the tab and the line ends: a lone one of these is part of no line below.
        if (preg_match('/[\x00-\x08\x0B\x0C\x0E-\x1F\x7F]/', $headers) === 1) {
            throw Problem::malformed();
        }

        $disposition = self::disposition($headers);
        if (HeaderValue::first($disposition) !== 'form-data') {
            return new self('', null);
        }
        $parameters = HeaderValue::parameters($disposition);
        $path = $parameters['filename'] ?? '';
        if (preg_match('//u', $path) !== 1) {
            throw Problem::malformed();
        }
        $path = strtr($path, self::ENCODED);

        return new self(
            strtr($parameters['name'] ?? '', self::ENCODED),
            $path === '' ? null : substr($path, (int) strrpos('/' . strtr($path, '\\', '/'), '/')),
        );
    }

    /** The value of Content-Disposition, empty if there is none. */
    private static function disposition(string $headers): string
    {
        $found = '';
        foreach ($headers === '' ? [] : explode("\r\n", $headers) as $line) {
            if (preg_match('/^([0-9A-Za-z!#$%&\'*+.^_`|~-]+):[ \t]*([^\r\n]*)$/D', $line, $header) !== 1) {
                throw Problem::malformed();
            }
            if ($found === '' && strcasecmp($header[1], 'Content-Disposition') === 0) {
                $found = $header[2];
            }
        }

        return rtrim($found, " \t");
    }
}
