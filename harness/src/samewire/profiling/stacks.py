"""Stacks that a sampling profiler saw, and what is worked out of them: shares of functions, and of patterns."""

import gzip
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from samewire.profiling import ProfilingError

Stack = tuple[str, ...]
"""The names of a stack's frames, from the first call to the function that ran."""

_NOT_IN_A_NAME = str.maketrans({";": ":", "\n": " ", "\r": " "})


@dataclass(frozen=True)
class Share:
    """The share of samples, from 0 to 1, in which a function itself ran, and in which it was in the stack at all."""

    self_: float
    total: float


NONE = Share(0.0, 0.0)


@dataclass(frozen=True)
class Difference:
    """The shares of a function in two profiles."""

    name: str
    first: Share
    second: Share

    @property
    def self_(self) -> float:
        """By how much the self share of the second is higher."""
        return self.second.self_ - self.first.self_


class Stacks:
    """How many samples there are of each stack."""

    def __init__(self, counts: Mapping[Stack, int] | None = None) -> None:
        self._counts: Counter[Stack] = Counter(counts or {})

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Stacks) and self._counts == other._counts

    __hash__ = None

    @property
    def samples(self) -> int:
        """How many samples there are in all."""
        return self._counts.total()

    def add(self, frames: Iterable[str], samples: int = 1) -> None:
        """Add samples of a stack; what would end a frame or a line in the collapsed form is replaced."""
        self._counts[tuple(frame.translate(_NOT_IN_A_NAME) for frame in frames)] += samples

    def functions(self) -> dict[str, Share]:
        """The shares of every function, the highest self share first. A function that calls itself counts once."""
        samples, selves, totals = self.samples, Counter(), Counter()
        for stack, count in self._counts.items():
            selves[stack[-1]] += count
            for name in set(stack):
                totals[name] += count
        names = sorted(totals, key=lambda name: (-selves[name], -totals[name], name))
        return {name: Share(selves[name] / samples, totals[name] / samples) for name in names}

    def share(self, pattern: str) -> float:
        """The share of samples, from 0 to 1, whose stack has a frame in which the pattern is found.

        The pattern is a regular expression. Raises ProfilingError if it is none; 0 where there are no samples.
        """
        found = compiled(pattern)
        matching = {name: bool(found.search(name)) for stack in self._counts for name in stack}
        hits = sum(count for stack, count in self._counts.items() if any(matching[name] for name in stack))
        return hits / self.samples if hits else 0.0

    def collapsed(self) -> str:
        """The stacks as text, a line each: the frames with semicolons between them, a blank, and the count."""
        return "".join(f"{';'.join(stack)} {count}\n" for stack, count in sorted(self._counts.items()))

    @classmethod
    def read(cls, text: str) -> "Stacks":
        """Of the collapsed form. Raises ProfilingError with the line that is none."""
        stacks = cls()
        for line in text.splitlines():
            frames, _, count = line.rpartition(" ")
            if not frames or not count.isdigit():
                raise ProfilingError(f"not a collapsed stack (frames, a blank, a number): {line[:200]!r}")
            stacks.add(frames.split(";"), int(count))
        return stacks

    def write(self, path: Path) -> None:
        """Write the collapsed form, packed with gzip; without a time, so that the same stacks are the same file."""
        path.write_bytes(gzip.compress(self.collapsed().encode(), mtime=0))


def compiled(pattern: str) -> re.Pattern[str]:
    """The regular expression. Raises ProfilingError with what is wrong with it."""
    try:
        return re.compile(pattern)
    except re.error as error:
        raise ProfilingError(f"the pattern {pattern!r} is no regular expression: {error}") from None


def differences(first: Stacks, second: Stacks) -> list[Difference]:
    """The functions of both, those whose self shares differ most first, then those whose total shares do."""
    before, after = first.functions(), second.functions()
    found = [Difference(name, before.get(name, NONE), after.get(name, NONE)) for name in before | after]
    return sorted(found, key=lambda one: (-abs(one.self_), -abs(one.second.total - one.first.total), one.name))
