"""How servers are told apart in charts: by a hue and by a shape, of which no two servers have both in common.

There are eight hues, after Okabe & Ito, "Color Universal Design", 2008. Their lightness is in `report.css`.
"""

import math
from collections import Counter
from collections.abc import Sequence

HUES = 8


def _regular(corners: int, radius: float, turn: float = 0, inner: float = 1) -> tuple[tuple[float, float], ...]:
    """Corners on a circle, clockwise from the top; with an inner radius, every second one is that near."""
    angles = [2 * math.pi * (i / corners + turn) for i in range(corners)]
    radii = [radius * (inner if i % 2 else 1) for i in range(corners)]
    return tuple((r * math.sin(angle), -r * math.cos(angle)) for r, angle in zip(radii, angles, strict=True))


_ARM = 0.4
_CROSS = ((-_ARM, -1.2), (_ARM, -1.2), (_ARM, -_ARM), (1.2, -_ARM), (1.2, _ARM), (_ARM, _ARM), (_ARM, 1.2),
          (-_ARM, 1.2), (-_ARM, _ARM), (-1.2, _ARM), (-1.2, -_ARM), (-_ARM, -_ARM))  # fmt: skip
_HALF = math.sqrt(0.5)

SHAPES = (
    (),
    _regular(4, 1.25, 1 / 8),
    _regular(3, 1.5),
    _regular(4, 1.4),
    _regular(3, 1.5, 1 / 2),
    _CROSS,
    tuple(((x - y) * _HALF, (x + y) * _HALF) for x, y in _CROSS),
    _regular(10, 1.55, inner=0.45),
)
"""The corners of each shape, of about the size of a circle of radius 1; the first one is the circle, which has none."""


def signs(stacks: Sequence[str]) -> list[tuple[int, int]]:
    """A hue and a shape for each server, given its stack: as far as possible, the servers of a stack have one hue."""
    hues = {stack: i % HUES for i, stack in enumerate(sorted(set(stacks)))}
    taken: Counter[int] = Counter()
    found = []
    for stack in stacks:
        # The hue of the stack, or the next one that has a shape left.
        turns = [(hues[stack] + turn) % HUES for turn in range(HUES)]
        hue = next((hue for hue in turns if taken[hue] < len(SHAPES)), turns[0])
        found.append((hue, taken[hue] % len(SHAPES)))
        taken[hue] += 1
    return found
