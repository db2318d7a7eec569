"""Generated requests: the same examples every time or, with `SAMEWIRE_EXPLORE`, others until the time is up."""

import os
import time
from collections.abc import Callable
from typing import Any

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

EXPLORE = float(os.environ.get("SAMEWIRE_EXPLORE", "0"))
"""Seconds for each test to look for new examples; 0 for the same examples every time, as on CI."""

_SETTINGS = settings(
    derandomize=not EXPLORE,
    database=None,
    deadline=None,
    print_blob=False,
    suppress_health_check=list(HealthCheck),
    phases=(Phase.explicit, Phase.generate, Phase.shrink),
)


def each_of(run: Callable[[settings], None], examples: int, **more: int) -> None:
    """Run a property once with its fixed examples or, exploring, again and again with others until the time is up."""
    how = settings(_SETTINGS, max_examples=examples, **more)
    end = time.monotonic() + EXPLORE
    run(how)
    while time.monotonic() < end:
        run(how)


def check_all(check: Callable[[Any], object], generated: st.SearchStrategy[Any], examples: int) -> None:
    """Check so many examples; Hypothesis shrinks one with which `check` fails."""

    def run(how: settings) -> None:
        @how
        @given(generated)
        def all_answer_as_the_contract_says(one: Any) -> None:
            check(one)

        all_answer_as_the_contract_says()

    each_of(run, examples)
