<?php

declare(strict_types=1);

namespace Samewire\Randoms;

use Samewire\Xorshift\Xorshift;

final class RandomsController
{
    private const PARAMETERS = [
        'count' => ['filter' => FILTER_VALIDATE_INT, 'options' => ['min_range' => 0, 'max_range' => 100_000_000]],
        'seed' => ['filter' => FILTER_VALIDATE_INT, 'options' => ['min_range' => 1, 'max_range' => 4_294_967_295]],
    ];

    /** @param string $log "none", "sync" or "async" */
    public function __construct(private readonly string $log)
    {
    }

    // #region randoms.draw
    /** @param array<string, mixed> $query */
    public function draw(array $query): Response
    {
        [$count, $seed] = self::parameters($query);
        $counts = Xorshift::draw($count, $seed);

        return $this->result($count, $counts);
    }
    // #endregion randoms.draw

    /** HEAD: the same without the work. @param array<string, mixed> $query */
    public function describe(array $query): Response
    {
        self::parameters($query);

        return new Response(200);
    }

    /** @param array<int, int> $counts */
    private function result(int $count, array $counts): Response
    {
        $response = new Response(200, ['count' => $count, 'counts' => (object) array_filter($counts)]);
        // #region randoms.log
        match ($this->log) {
            'sync' => self::print($response->json),
            'async' => register_shutdown_function(static function () use ($response): void {
                fastcgi_finish_request(); // PHP has no thread for it: the same process ends the answer, then it writes.
                self::print($response->json);
            }),
            'none' => null,
        };
        // #endregion randoms.log

        return $response;
    }

    private static function print(string $line): void
    {
        // A pipe to PHP-FPM's master, which writes the lines of all. It would cut one of stdout if that pipe is full.
        file_put_contents('php://stderr', "$line\n");
    }

    /**
     * @param array<string, mixed> $query
     * @return array{int, int} count and seed
     */
    public static function parameters(array $query): array
    {
        $values = filter_var_array($query, self::PARAMETERS);
        foreach (self::PARAMETERS as $name => ['options' => $range]) {
            if ($values[$name] === false) {
                throw new Problem(400, "$name must be an integer from $range[min_range] to $range[max_range].");
            }
        }

        return [$values['count'] ?? 100_000_000, $values['seed'] ?? random_int(1, 4_294_967_295)];
    }
}
