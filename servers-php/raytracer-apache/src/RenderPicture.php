<?php

declare(strict_types=1);

namespace Samewire\Raytracer;

final class RenderPicture
{
    /** @param string[] $places files, one for each processor, whose locks are the right to use it */
    public function __construct(private readonly array $places)
    {
    }

    // #region raytracer.render
    public function __invoke(Request $request): Response
    {
        $width = $request->integer('width', 1, 1920);
        $height = $request->integer('height', 1, 1080);
        $depth = $request->integer('depth', 0, 10);
        if ($request->method === 'HEAD') {
            return new Response(200, ['Content-Type' => 'image/png']);
        }

        // As many processes render as there are processors, the others sleep here. The kernel gives a lock back, too,
        // when its process ends in any other way.
        $place = fopen($this->places[getmypid() % count($this->places)], 'r');
        flock($place, LOCK_EX);
        try {
            $picture = Png::encode($width, $height, Raytracer::render($width, $height, $depth));
        } finally {
            fclose($place);
        }

        return new Response(200, ['Content-Type' => 'image/png'], $picture);
    }
    // #endregion raytracer.render
}
