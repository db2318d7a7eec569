<?php

declare(strict_types=1);

namespace Samewire\Randoms;

use Samewire\Xorshift\Xorshift;

final class DrawRandoms
{
    private const MOST_DRAWS = 100_000_000;
    private const LARGEST_SEED = 0xFFFFFFFF;

    /** @param string[] $places files, one for each processor, whose locks are the right to use it */
    public function __construct(private readonly array $places, private readonly Log $log)
    {
    }

    // #region randoms.draw
    /** The process of the request draws, when it is its turn: as many at once as there are processors. */
    public function inTurn(Request $request): Response
    {
        [$count, $seed] = self::parameters($request);

        // The others sleep here. The kernel gives a lock back, too, when its process ends in any other way.
        $place = fopen($this->places[getmypid() % count($this->places)], 'r');
        flock($place, LOCK_EX);
        try {
            $counts = Xorshift::draw($count, $seed);
        } finally {
            fclose($place);
        }

        return $this->result($count, $counts);
    }

    /** The process of the request draws, at once, however many others do. */
    public function atOnce(Request $request): Response
    {
        [$count, $seed] = self::parameters($request);

        return $this->result($count, Xorshift::draw($count, $seed));
    }
    // #endregion randoms.draw

    /** @return array{int, int} */
    private static function parameters(Request $request): array
    {
        return [
            $request->integer('count', 0, self::MOST_DRAWS) ?? self::MOST_DRAWS,
            $request->integer('seed', 1, self::LARGEST_SEED) ?? random_int(1, self::LARGEST_SEED),
        ];
    }

    /** @param array<int, int> $counts */
    private function result(int $count, array $counts): Response
    {
        // An object even if it is empty.
        $response = Response::json(200, ['count' => $count, 'counts' => (object) array_filter($counts)]);
        $this->log->result($response->body);

        return $response;
    }
}
