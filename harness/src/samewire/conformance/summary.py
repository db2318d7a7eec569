"""What came of a run of the suite, as all reports tell it."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from samewire.outcomes import LAYERS, SUITE

PASSED, FAILED, SKIPPED, KNOWN = "passed", "failed", "skipped", "known"
"""Outcomes of a test; one that is `known` fails, as a file of known failures says."""


@dataclass(frozen=True)
class Result:
    """What came of one test."""

    test: str
    layer: str
    servers: tuple[str, ...]
    outcome: str
    seconds: float
    problem: str
    """Why it failed, with request and answers, or why it was skipped; empty if it has passed."""


@dataclass(frozen=True)
class Summary:
    """What came of all tests."""

    at: str
    """When the run ended: ISO 8601, UTC."""
    results: Sequence[Result]
    outcomes: Mapping[str, Mapping[str, Mapping[str, int]]]
    """Server → layer → outcome → number."""
    problems: Sequence[str]
    """What failed beside the tests: a server that does not build, that died, that did not stop."""
    not_tried: Mapping[str, int]
    """Layer and reason → how many tests were skipped for it."""
    contracts: Mapping[str, str]
    """Service → version of its contract."""
    databases: Mapping[str, str]
    tls: Mapping[str, str]
    """Server → version of TLS, and protocol that ALPN chooses."""
    narrowed: Sequence[str]
    """The options that chose a part of the tests; none for the whole suite."""

    @property
    def counts(self) -> Counter[str]:
        """Outcome → number of tests."""
        return Counter(result.outcome for result in self.results)

    @property
    def failed(self) -> list[Result]:
        """The tests that failed."""
        return [result for result in self.results if result.outcome == FAILED]

    @property
    def passes(self) -> bool:
        """Whether nothing failed, and something was tried."""
        return bool(self.counts[PASSED]) and not self.failed and not self.problems

    @property
    def layers(self) -> list[str]:
        """The layers that were asked for, in order."""
        return [layer for layer in LAYERS if any(layer in layers for layers in self.outcomes.values())]


def summarise(last: Mapping[str, Any]) -> Summary:
    """The summary of a run, of which `outcomes.last_outcomes` tells."""
    results = [Result(**one | {"servers": tuple(one["servers"])}) for one in last["results"]]
    told = [f"{result.test}: " for result in results if result.outcome == FAILED]
    return Summary(
        at=datetime.now(UTC).isoformat(timespec="seconds"),
        results=results,
        outcomes=dict(sorted((name, layers) for name, layers in last["outcomes"].items() if name != SUITE)),
        problems=[line for line in last["failures"] if not line.startswith(tuple(told))],
        not_tried=dict(sorted(last["reasons"].items())),
        contracts=last["contracts"],
        databases=last["databases"],
        tls=last["tls"],
        narrowed=last["narrowed"],
    )
