"""What comes of the tests: told on the terminal, counted by server and layer, and kept in records of passes."""

import json
import os
import sys
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import pytest

from samewire import record
from samewire.contract.services import version
from samewire.manifest import Server
from samewire.outcomes import EXCUSES, OUTCOMES, SUITE, Blamed
from samewire.paths import CONTRACTS, INSTALLED
from samewire.pytest_plugin.narrowing import unknown
from samewire.pytest_plugin.selection import Selected, selected
from samewire.pytest_plugin.servers import started, stop
from samewire.target import Target


class _Counts:
    """What came of the tests, as the controller counts it."""

    def __init__(self) -> None:
        self.outcomes: dict[str, dict[str, Counter]] = {}
        self.reasons: Counter = Counter()
        self.excused = 0
        """How many did not pass for a reason that was known beforehand."""
        self.failures: list[str] = []
        self.results: dict[str, dict] = {}
        self.stop_problems: list[str] = []

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Count."""
        if report.failed:
            crash = getattr(report.longrepr, "reprcrash", None)
            message = crash.message if crash else str(report.longrepr)
            self.failures.append(f"{report.nodeid}: {message.partition(chr(10))[0]}")
        properties = dict(report.user_properties)
        if "layer" in properties:
            self._note(report, properties)
        if "layer" not in properties or (report.when != "call" and report.outcome == "passed"):
            return
        layer, blamed = properties["layer"], properties.get("blamed", properties["servers"])
        for name in properties["servers"]:
            # Lockstep ends at the first failure, so that the others were not asked everything.
            outcome = report.outcome if name in blamed else "skipped"
            self.outcomes.setdefault(name, {}).setdefault(layer, Counter())[outcome] += 1
        if report.outcome == "skipped":
            self.excused += hasattr(report, "wasxfail") or _reason(report) in EXCUSES
            self.reasons[f"{layer}: {_reason(report)}"] += 1
        elif len(blamed) < len(properties["servers"]):
            self.reasons[f"{layer}: for all but {', '.join(blamed)}, whose failure cut the test short"] += 1

    def _note(self, report: pytest.TestReport, properties: dict) -> None:
        """What came of a test as a whole, of which this is the setup, the call or the teardown."""
        about = {"test": report.nodeid, "layer": properties["layer"], "servers": properties["servers"]}
        result = self.results.setdefault(report.nodeid, about | {"outcome": "passed", "seconds": 0.0, "problem": ""})
        result["seconds"] += report.duration
        if report.failed:
            sections = [f"{name}:\n{text}" for name, text in report.sections if name.startswith("last lines of ")]
            text = "\n".join([report.longreprtext, *sections])
            result |= {"outcome": "failed", "problem": f"{result['problem']}\n{text}".strip()}
        elif report.skipped:
            result |= {"outcome": "known" if hasattr(report, "wasxfail") else "skipped", "problem": _reason(report)}


def _reason(report: pytest.TestReport) -> str:
    """Why a test was skipped, or is known to fail."""
    if hasattr(report, "wasxfail"):
        return report.wasxfail.removeprefix("reason: ")
    told = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
    return told.removeprefix("Skipped: ")


_counts_key = pytest.StashKey[_Counts]()
_passed_key = pytest.StashKey[int]()


def pytest_addoption(parser: pytest.Parser) -> None:
    """The option that says where to write it."""
    group = parser.getgroup("samewire")
    group.addoption("--outcomes", metavar="FILE", type=Path, default=OUTCOMES, help="where to write what came of it")


def pytest_sessionstart(session: pytest.Session) -> None:
    """The controller counts."""
    if started(session.config):
        counts = session.config.stash[_counts_key] = _Counts()
        session.config.pluginmanager.register(counts)


def pytest_report_teststatus(report: pytest.TestReport, config: pytest.Config) -> tuple[str, str, str] | None:
    """Off a terminal only every tenth test that has passed leaves a dot, so that a log shows what has failed."""
    if report.when != "call" or not report.passed or sys.stdout.isatty():
        return None
    config.stash[_passed_key] = passed = config.stash.get(_passed_key, 0) + 1
    return "passed", "" if passed % 10 else ".", "PASSED"


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo):
    """Note whom a failed test blames, and what its server printed last."""
    report = yield
    asked = getattr(item, "funcargs", {}).get("target")
    # Many a test has said it already.
    if (
        report.failed
        and isinstance(asked, Target)
        and (printed := asked.last_lines(10))
        and printed not in report.longreprtext
    ):
        report.sections.append((f"last lines of {asked.name}", printed))
    if call.excinfo and isinstance(call.excinfo.value, Blamed):
        report.user_properties = [*report.user_properties, ("blamed", call.excinfo.value.servers)]
    return report


@pytest.hookimpl(tryfirst=True)
def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    """Stop everything, see that it stopped well, and record who passed."""
    config = session.config
    counts, servers = config.stash.get(_counts_key, None), started(config)
    if counts is None or servers is None:
        return
    images = servers.testbed.images
    counts.stop_problems += stop(config)
    if os.environ.get("CI") and counts.reasons.total() > counts.excused:
        counts.stop_problems.append("on CI nothing may be skipped")
    # pytest-xdist tells as an interruption that it stopped at the first failure.
    at_first = bool(config.option.maxfail and counts.failures)
    if (counts.stop_problems and exitstatus == pytest.ExitCode.OK) or at_first:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
    judged = not counts.outcomes.get(SUITE, {}).get("faults", {}).get("failed")
    ended = exitstatus in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED) and not at_first
    whole = judged and ended and _is_whole(config)
    for one in (each for each in selected(config) if each.server and not each.server.variant):
        layers = _outcomes_of(one.server, selected(config), counts.outcomes)
        bad = any(each.get("failed") or each.get("skipped") for each in layers.values()) or counts.stop_problems
        image = images.get(one.name)
        if INSTALLED:
            continue  # A pass is for a race, and a wheel has none.
        if whole and layers and not bad:
            record.write_pass(one.server, layers, servers.databases, image)
        elif any(each.get("failed") for each in layers.values()):
            record.remove_pass(one.server, image)
    stops = [problem.partition("\n")[0] for problem in counts.stop_problems]
    came_of_it = {
        "outcomes": counts.outcomes, "contracts": {one.service: version(one.service) for one in selected(config)},
        "databases": servers.databases, "reasons": counts.reasons,
        "unknown": unknown(config), "failures": counts.failures + stops, "results": list(counts.results.values()),
    }  # fmt: skip
    config.getoption("--outcomes").write_text(json.dumps(came_of_it))


def _is_whole(config: pytest.Config) -> bool:
    """Whether every test of the suite was asked for."""
    option = config.option
    narrowed = option.keyword or option.markexpr or option.layer or option.only or getattr(option, "deselect", None)
    return not narrowed and all(Path(argument).resolve() == CONTRACTS for argument in config.args)


def _outcomes_of(server: Server, chosen: Iterable[Selected], outcomes: dict) -> dict[str, dict[str, int]]:
    """Layer → outcome → number, of a server and of its variants that are judged as servers are."""
    layers: dict[str, Counter] = {}
    for name in (one.name for one in chosen if one.server and one.server.id == server.id):
        for layer, counts in outcomes.get(name, {}).items():
            layers.setdefault(layer, Counter()).update(counts)
    return {layer: dict(counts) for layer, counts in layers.items()}


def pytest_terminal_summary(terminalreporter, config: pytest.Config) -> None:
    """What did not stop well."""
    counts = config.stash.get(_counts_key, None)
    for problem in counts.stop_problems if counts else []:
        terminalreporter.write_line(problem, red=True)
