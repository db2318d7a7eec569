<?php

declare(strict_types=1);

namespace Samewire\Raytracer;

final class PictureController
{
    private const PARAMETERS = [
        'width' => ['filter' => FILTER_VALIDATE_INT, 'options' => ['min_range' => 1, 'max_range' => 1920]],
        'height' => ['filter' => FILTER_VALIDATE_INT, 'options' => ['min_range' => 1, 'max_range' => 1080]],
        'depth' => ['filter' => FILTER_VALIDATE_INT, 'options' => ['min_range' => 0, 'max_range' => 10]],
    ];

    // #region raytracer.render
    /** @param array<string, mixed> $query */
    public function show(array $query): Response
    {
        ['width' => $width, 'height' => $height, 'depth' => $depth] = self::parameters($query);

        // As many processes render as there are processors, the others sleep. The end of a request gives the turn back.
        $turn = sem_get((int) getenv('SEMAPHORE'), (int) getenv('PROCESSORS'), 0600);
        sem_acquire($turn);
        $picture = Png::encode($width, $height, Raytracer::render($width, $height, $depth));
        sem_release($turn);

        return new Response(200, $picture, 'image/png');
    }
    // #endregion raytracer.render

    /** HEAD: the same without the work. @param array<string, mixed> $query */
    public function describe(array $query): Response
    {
        self::parameters($query);

        return new Response(200, '', 'image/png');
    }

    /**
     * @param array<string, mixed> $query
     * @return array{width: int, height: int, depth: int}
     */
    public static function parameters(array $query): array
    {
        $values = filter_var_array($query, self::PARAMETERS);
        foreach (self::PARAMETERS as $name => ['options' => $range]) {
            if (!is_int($values[$name])) {
                throw new Problem(400, "$name must be an integer from $range[min_range] to $range[max_range].");
            }
        }

        return $values;
    }
}
