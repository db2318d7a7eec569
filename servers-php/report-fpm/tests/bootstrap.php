<?php

require __DIR__ . '/../vendor/autoload.php';
require 'Twig/autoload.php';
