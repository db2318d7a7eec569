<?php

declare(strict_types=1);

namespace Samewire\Upload;

/** The value of a header field like `form-data; name="files"; filename="a.txt"`. */
final class HeaderValue
{
    private const TOKEN = "[0-9A-Za-z!#$%&'*+.^_`|\~-]++";

    // In a quoted string \" stands for a quote; browsers escape nothing else.
    private const QUOTED = '"([^"\\\\]*+(?:\\\\"?+[^"\\\\]*+)*+)"';

    private const PARAMETER = '~^;[ \t]*+(' . self::TOKEN . ')=(?:' . self::QUOTED . '|(' . self::TOKEN . '))[ \t]*+~';

    /** What stands before the parameters, in lower case. */
    public static function first(string $value): string
    {
        return strtolower(trim(explode(';', $value, 2)[0], " \t"));
    }

    /**
     * The parameters by their names in lower case; of one that is given twice, the first.
     *
     * @return array<string, string>
     */
    public static function parameters(string $value): array
    {
        $parameters = [];
        $rest = strstr($value, ';');
        while ($rest !== false && $rest !== '') {
            if (preg_match(self::PARAMETER, $rest, $found) !== 1) {
                throw Problem::malformed();
            }
            $parameters[strtolower($found[1])] ??= $found[3] ?? str_replace('\\"', '"', $found[2]);
            $rest = substr($rest, strlen($found[0]));
        }

        return $parameters;
    }
}
