"""How far servers are from the floor of their stacks (bench/floor/README.md).

Lookups: the CPU of a server per lookup against the CPU of its stack's bare HTTP answer plus its driver's bare query,
in one program that does both, and in two programs that do one each.
Uploads: the rate of an upload against the rate at which the same stack copies a raw body to a file.
Pictures: what one costs each raytracer, and how long others wait meanwhile, against a loop that renders inline.
"""
