<?php

declare(strict_types=1);

namespace Samewire\Report;

use Twig\Environment;
use Twig\Loader\FilesystemLoader;

final class Page
{
    private readonly Environment $twig;

    public function __construct()
    {
        $root = dirname(__DIR__);
        $this->twig = new Environment(new FilesystemLoader('templates', $root), [
            'cache' => "$root/var/twig",
            // The build and the tests compile what has changed. PHP-FPM does not look.
            'auto_reload' => PHP_SAPI === 'cli',
            'strict_variables' => true,
        ]);
    }

    /** @param list<object{id: int, title: string, completed: bool}> $todos */
    public function render(array $todos, string $image): string
    {
        return $this->twig->render('report.html.twig', ['todos' => $todos, 'image' => base64_encode($image)]);
    }
}
