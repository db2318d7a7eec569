<?php

declare(strict_types=1);

namespace Samewire\Randoms;

/** gzip for whoever takes it (RFC 9110, 12.5.3). */
final class Compression
{
    // A coding and, unless it is 1, its weight from 0 to 1. Anything else is no coding that this server knows.
    private const CODING = '/^[ \t]*([^ \t;]+)(?:[ \t]*;[ \t]*q=(0(?:\.[0-9]{0,3})?|1(?:\.0{0,3})?))?[ \t]*$/Di';

    public function __construct(private readonly bool $on, private readonly int $leastBytes)
    {
    }

    // #region randoms.compress
    public function apply(Response $response, string $acceptEncoding): Response
    {
        if (!$this->on || strlen($response->body) < $this->leastBytes) {
            return $response;
        }
        $varying = $response->with(['Vary' => 'Accept-Encoding']);

        return self::acceptsGzip($acceptEncoding)
            ? $varying->with(['Content-Encoding' => 'gzip'], gzencode($response->body))
            : $varying;
    }
    // #endregion randoms.compress

    private static function acceptsGzip(string $acceptEncoding): bool
    {
        $weights = [];
        foreach (explode(',', $acceptEncoding) as $element) {
            if (preg_match(self::CODING, $element, $coding) === 1) {
                $weights[strtolower($coding[1])] = (float) ($coding[2] ?? 1);
            }
        }
        $gzip = $weights['gzip'] ?? $weights['*'] ?? 0.0;

        return $gzip > 0.0 && $gzip >= ($weights['identity'] ?? 0.0);
    }
}
