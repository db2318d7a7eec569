"""pytest over running servers: which tests run against which server, what came of them, and the records of passes.

The controller starts databases and servers once, while the workers of pytest-xdist start and collect, and hands them
the addresses. Fixtures:

- `target`: one running server; the test runs once for each.
- `targets`: all running servers of the module's service, for tests in lockstep.
- `server`: the manifest of a server, not started; with `lab`, in which the test starts and stops its own processes.
- `lab`: a Lab with private databases, one for each worker.

A module says its layer with `pytestmark = pytest.mark.layer("wire")`. A module below `contract-tests/<service>/` is for
that service, one directly in `contract-tests/` for every service.
"""

import gc
import json
import os
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from typing import Any, NoReturn

import pytest

from samewire import record
from samewire.build import build
from samewire.lab import Lab
from samewire.manifest import ManifestError, SelectionError, Server, find_servers, select, with_transports
from samewire.outcomes import LAYERS, OUTCOMES, SUITE
from samewire.paths import CONTRACTS
from samewire.process import StartError
from samewire.target import Target

_EVERY_SERVICE = ""
_STARTED_AT_ONCE = 4
_LAST_LIFE = 0.4
"""The share of all other tests before which the last of `life` begin."""


class Blamed(AssertionError):
    """A test in lockstep failed, and it was these servers that were wrong: the others have no failure by it."""

    def __init__(self, message: str, servers: Sequence[str]) -> None:
        super().__init__(message)
        self.servers = list(servers)


@dataclass(frozen=True)
class Selected:
    """A server that was chosen to be judged; not necessarily running yet."""

    name: str
    service: str
    server: Server | None
    url: str | None = None


def pytest_addoption(parser: pytest.Parser) -> None:
    """Options that say what is judged."""
    group = parser.getgroup("samewire")
    group.addoption("--servers", action="append", default=[], metavar="NAME", help="service, server id or folder name")
    group.addoption("--compose", action="store_true", help="judge the servers as they run in compose")
    group.addoption("--url", action="append", default=[], metavar="NAME=URL", help="judge a server of your own")
    group.addoption("--layer", action="append", default=[], metavar="LAYER", help=f"only these of {', '.join(LAYERS)}")
    group.addoption("--faults", action="store_true", help="also judge the suite, where servers are named")
    group.addoption("--outcomes", metavar="FILE", type=Path, default=OUTCOMES, help="where to write what came of it")
    group.addoption("--service", default=None, help="the service of the servers given by --url")


def pytest_configure(config: pytest.Config) -> None:
    """Register the markers, and look for no garbage until the tests run."""
    # Nearly everything is kept until then: to look takes a fifth of the time.
    gc.disable()
    config.addinivalue_line("markers", f"layer(name): the layer of the suite, one of {', '.join(LAYERS)}")
    config.addinivalue_line("markers", "waits: mostly waits, and so begins early, beside others that compute")
    config.addinivalue_line("markers", "stores(*names): only for servers that keep their records in one of these")


def pytest_report_teststatus(report: pytest.TestReport, config: pytest.Config) -> tuple[str, str, str] | None:
    """Off a terminal only every tenth test that has passed leaves a dot, so that a log shows what has failed."""
    if report.when != "call" or not report.passed or sys.stdout.isatty():
        return None
    config.stash[_passed_key] = passed = config.stash.get(_passed_key, 0) + 1
    return "passed", "" if passed % 10 else ".", "PASSED"


def selected(config: pytest.Config) -> list[Selected]:
    """What is judged in this session, whether it runs yet or not."""
    if config.stash.get(_selected_key, None) is None:
        config.stash[_selected_key] = _select(config)
    return config.stash[_selected_key]


def _select(config: pytest.Config) -> list[Selected]:
    urls, names = config.getoption("--url"), config.getoption("--servers")
    try:
        servers = select(find_servers(), names) if names or not urls else []
    except (ManifestError, SelectionError) as error:
        raise pytest.UsageError(str(error)) from error
    # In compose each server runs once, as it is.
    several = servers if config.getoption("--compose") else with_transports(servers)
    chosen = [Selected(one.name, one.service, one) for one in several]
    services = sorted({path.parent.name for path in CONTRACTS.glob("*/openapi.yaml")})
    service = config.getoption("--service") or (services[0] if len(services) == 1 else None)
    if urls and service not in services:
        raise pytest.UsageError(f"say which service {urls[0]} is: --service {'|'.join(services)}")
    for given in urls:
        name, separator, url = given.partition("=")
        if not separator or not url.startswith("http://"):
            raise pytest.UsageError(f"--url takes NAME=http://HOST:PORT, not {given!r}")
        chosen.append(Selected(name, service, None, url.rstrip("/")))
    return chosen


_selected_key = pytest.StashKey[list[Selected]]()
_running_key = pytest.StashKey[dict[str, Target]]()
_session_key = pytest.StashKey["_Session"]()
_passed_key = pytest.StashKey[int]()
_unstarted_key = pytest.StashKey[dict[str, str]]()


def _composed(config: pytest.Config) -> list[Server]:
    """The servers that are judged as they run in compose."""
    return [one.server for one in selected(config) if one.server] if config.getoption("--compose") else []


def _is_worker(config: pytest.Config) -> bool:
    return hasattr(config, "workerinput")


def _lab_of(composed: Sequence[Server], **private: Any) -> Lab:
    """A lab for these servers as they run in compose; for processes of our own when there are none."""
    if not composed:
        return Lab(**private, brief=True)
    # Only here: most sessions need no container.
    from samewire.containers.composed import ComposedLab
    from samewire.containers.own import ContainerLab

    return ContainerLab(**private, brief=True) if private else ComposedLab(composed)


class _Session:
    """What the controller keeps: the running servers and what came of the tests."""

    def __init__(self, composed: Sequence[Server]) -> None:
        self.lab = _lab_of(composed)
        self.targets_file = self.lab.run.path / "targets.json"
        self.starting: Future[dict[str, Target]] = Future()
        self.unstarted: dict[str, StartError] = {}
        self.databases: dict[str, str] = {}
        self.outcomes: dict[str, dict[str, Counter]] = {}
        self.reasons: Counter = Counter()
        self.failures: list[str] = []
        self.stop_problems: list[str] = []

    def came_of_it(self) -> dict:
        """As `last_outcomes` gives it."""
        stops = [problem.partition("\n")[0] for problem in self.stop_problems]
        return {
            "outcomes": self.outcomes, "databases": self.databases, "reasons": self.reasons,
            "failures": self.failures + stops,
        }  # fmt: skip

    def start(self, chosen: Sequence[Selected]) -> dict[str, Target]:
        targets = {one.name: Target(one.name, one.service, one.url) for one in chosen if one.url}
        ours = [one.server for one in chosen if one.server]
        for first in range(0, len(ours), _STARTED_AT_ONCE):
            targets |= self._start_some(ours[first : first + _STARTED_AT_ONCE])
        if self.unstarted and not targets:
            raise next(iter(self.unstarted.values()))
        self.databases = {store: database.label for store, database in self.lab.databases().items()}
        handed = {t.name: {"url": t.url, "pid": t.pid, "log": str(t.log) if t.log else None} for t in targets.values()}
        handed |= {name: {"problem": str(error)} for name, error in self.unstarted.items()}
        unfinished = self.targets_file.with_suffix(".part")
        unfinished.write_text(json.dumps(handed))
        unfinished.rename(self.targets_file)
        return targets

    def _start_some(self, servers: Sequence[Server]) -> dict[str, Target]:
        """Those of the servers that start; the others are in `unstarted`."""
        started = {}
        for running in [self.lab.spawn(server) for server in servers]:
            try:
                self.lab.wait_until_healthy(running)
                started[running.target.name] = running.target
            except StartError as error:
                self.unstarted[running.target.name] = error
        return started

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Count."""
        if report.failed:
            crash = getattr(report.longrepr, "reprcrash", None)
            message = crash.message if crash else str(report.longrepr)
            self.failures.append(f"{report.nodeid}: {message.partition(chr(10))[0]}")
        properties = dict(report.user_properties)
        if "layer" not in properties or (report.when != "call" and report.outcome == "passed"):
            return
        layer, blamed = properties["layer"], properties.get("blamed", properties["servers"])
        for name in properties["servers"]:
            # Lockstep ends at the first failure, so that the others were not asked everything.
            outcome = report.outcome if name in blamed else "skipped"
            self.outcomes.setdefault(name, {}).setdefault(layer, Counter())[outcome] += 1
        if report.outcome == "skipped":
            reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
            self.reasons[f"{layer}: {reason.removeprefix('Skipped: ')}"] += 1
        elif len(blamed) < len(properties["servers"]):
            self.reasons[f"{layer}: for all but {', '.join(blamed)}, whose failure cut the test short"] += 1


def _give_up(error: Exception) -> NoReturn:
    """End with the status of a failure: the call was right, but what is judged cannot be built or started."""
    pytest.exit(f"{type(error).__name__}: {error}", returncode=pytest.ExitCode.TESTS_FAILED)


@pytest.hookimpl(tryfirst=True)
def pytest_sessionstart(session: pytest.Session) -> None:
    """The controller builds what is judged, and begins to start it before the workers are made."""
    config = session.config
    if _is_worker(config) or config.option.collectonly:
        return
    chosen = selected(config)
    composed = _composed(config)
    try:
        for one in chosen:
            if one.server and not composed:
                build(one.server)
    except Exception as error:
        _give_up(error)
    state = config.stash[_session_key] = _Session(composed)
    config.pluginmanager.register(state)
    starter = ThreadPoolExecutor(1, thread_name_prefix="start")
    state.starting = starter.submit(state.start, chosen)
    starter.shutdown(wait=False)


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop(session: pytest.Session) -> None:
    """Before the first test, of whatever worker, all servers are healthy."""
    # What was collected stays as long as the process: no search for garbage need look at it.
    gc.freeze()
    gc.enable()
    state = session.config.stash.get(_session_key, None)
    if state is None:
        return
    try:
        running(session.config)
    except Exception as error:
        _give_up(error)


def pytest_configure_node(node) -> None:
    """Tell a worker where the addresses will be."""
    node.workerinput["targets_file"] = str(node.config.stash[_session_key].targets_file)


def running(config: pytest.Config) -> dict[str, Target]:
    """The running servers by name, in a worker as in the controller; waits until all are healthy."""
    if config.stash.get(_running_key, None) is None:
        config.stash[_running_key] = (
            _handed(config) if _is_worker(config) else config.stash[_session_key].starting.result()
        )
    return config.stash[_running_key]


def _handed(config: pytest.Config) -> dict[str, Target]:
    """What the controller has written, or is about to write: it ends its workers if it cannot."""
    file = Path(config.workerinput["targets_file"])  # type: ignore[attr-defined]
    while not file.exists():
        time.sleep(0.02)
    handed = json.loads(file.read_text())
    config.stash[_unstarted_key] = {name: about["problem"] for name, about in handed.items() if "problem" in about}
    return {
        one.name: Target(one.name, one.service, about["url"], one.server, about["pid"],
                         Path(about["log"]) if about["log"] else None)
        for one in selected(config) if (about := handed.get(one.name)) and "url" in about
    }  # fmt: skip


def service_of(path: Path) -> str:
    """The service that a test module, or a folder, is for; empty for every service."""
    parts = path.relative_to(CONTRACTS).parts if path.is_relative_to(CONTRACTS) else ()
    return parts[0] if parts and (CONTRACTS / parts[0] / "openapi.yaml").exists() else _EVERY_SERVICE


def _for_service(config: pytest.Config, path: Path) -> list[Selected]:
    service = service_of(path)
    return [one for one in selected(config) if service in (_EVERY_SERVICE, one.service)]


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave out the tests of services of which no server was chosen."""
    service = service_of(collection_path)
    return True if service and service not in {one.service for one in selected(config)} else None


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """One test for each server; a module with a `pytest_generate_tests` of its own does that itself."""
    if hasattr(metafunc.module, "pytest_generate_tests"):
        return
    chosen = _for_service(metafunc.config, metafunc.definition.path)
    if stores := metafunc.definition.get_closest_marker("stores"):
        chosen = [one for one in chosen if one.server and one.server.store in stores.args]
    if "target" in metafunc.fixturenames:
        metafunc.parametrize("target", [one.name for one in chosen], indirect=True, scope="session")
    if "server" in metafunc.fixturenames:
        not_ours = pytest.mark.skip(reason="not a server of this checkout: its process cannot be started or stopped")
        names = [pytest.param(one.name, marks=() if one.server else not_ours) for one in chosen]
        metafunc.parametrize("server", names, indirect=True, scope="session")


@pytest.fixture(scope="session")
def target(request: pytest.FixtureRequest) -> Target:
    """A running server. Of the tests of one that did not start, the first fails, and the others are skipped."""
    name = request.param
    if name not in running(request.config):
        if problem := _unstarted(request.config).pop(name, ""):
            pytest.fail(problem, pytrace=False)
        pytest.skip(f"{name} did not start")
    return running(request.config)[name]


def _unstarted(config: pytest.Config) -> dict[str, str]:
    """Why servers did not start, by name, but for those of which a test of this process has told it."""
    if _unstarted_key not in config.stash:
        unstarted = config.stash[_session_key].unstarted
        config.stash[_unstarted_key] = {name: str(error) for name, error in unstarted.items()}
    return config.stash[_unstarted_key]


@pytest.fixture(scope="session")
def shared_folder(request: pytest.FixtureRequest) -> Path:
    """A folder that the workers of one session share; deleted at its end."""
    config = request.config
    file = config.workerinput["targets_file"] if _is_worker(config) else config.stash[_session_key].targets_file  # type: ignore[attr-defined]
    return Path(file).parent


@pytest.fixture(scope="module")
def targets(request: pytest.FixtureRequest) -> list[Target]:
    """All running servers of the module's service."""
    started = running(request.config)
    found = [started[one.name] for one in _for_service(request.config, request.path) if one.name in started]
    if not found:
        pytest.skip("no server of this service was chosen, or none has started")
    return found


@pytest.fixture(scope="session")
def server(request: pytest.FixtureRequest) -> Server:
    """The manifest of a server; nothing is started."""
    return next(one.server for one in selected(request.config) if one.name == request.param and one.server)


@pytest.fixture(scope="session")
def lab(request: pytest.FixtureRequest) -> Iterator[Lab]:
    """A lab with databases that the test may stop and kill; with few links, for they are loaded often."""
    with _lab_of(_composed(request.config), private=True, links=100) as private:
        yield private


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Note on every test its layer and the servers that it judges; those that mostly wait come first."""
    wanted, kept = config.getoption("--layer"), []
    some = config.getoption("--servers") or config.getoption("--url")
    if not wanted and some and not config.getoption("--faults"):
        # Faults judge the suite and not a server: they belong to a run over all servers.
        wanted = [layer for layer in LAYERS if layer != "faults"]
    for item in items:
        marker = item.get_closest_marker("layer")
        parameters = item.callspec.params if isinstance(item, pytest.Function) and hasattr(item, "callspec") else {}
        one = parameters.get("target", parameters.get("server"))
        for_nobody = one is not None and not isinstance(one, str)  # pytest's mark for an empty list of parameters
        if not for_nobody and (not wanted or (marker and marker.args[0] in wanted)):
            kept.append(item)
        if not marker:
            continue
        names = [one] if one else [chosen.name for chosen in _for_service(config, item.path)]
        if marker.args[0] == "faults":
            names = [SUITE]
        item.user_properties += [("layer", marker.args[0]), ("servers", names)]
    if len(kept) < len(items):
        config.hook.pytest_deselected(items=[item for item in items if item not in kept])
    items[:] = _long_ones_first(kept)


def _long_ones_first(items: list[pytest.Item]) -> list[pytest.Item]:
    """Long tests first, and of `life`, which mostly wait, two at a time, so that others compute beside them.

    Each is followed by a short one: workers begin with two at a time, and so none gets two long ones.
    """
    kinds: dict[str, list[pytest.Item]] = {"life": [], "differential": [], "waits": [], "short": []}
    for item in items:
        layer = dict(item.user_properties).get("layer", "")
        kinds[layer if layer in kinds else "waits" if item.get_closest_marker("waits") else "short"].append(item)
    life, beside = kinds["life"], kinds["short"][: len(kinds["life"])]
    others = _in_turn(kinds["differential"], [*kinds["waits"], *kinds["short"][len(life) :]])
    # Even: whole turns of a long one and a short one.
    apart = 2 * max(1, int(_LAST_LIFE * len(others) / max(1, len(life))))
    ordered = []
    for first in range(0, len(life), 2):
        ordered += _in_turn(life[first : first + 2], _taken(beside or others, 2)) + _taken(others, apart)
    return ordered + others


def _taken(items: list[pytest.Item], number: int) -> list[pytest.Item]:
    """The first `number` items, taken from the list."""
    taken = items[:number]
    del items[:number]
    return taken


def _in_turn(*lists: list[pytest.Item]) -> list[pytest.Item]:
    return [item for turn in zip_longest(*lists) for item in turn if item is not None]


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


def _is_whole(config: pytest.Config) -> bool:
    """Whether every test of the suite was asked for."""
    option = config.option
    return not (option.keyword or option.markexpr or option.layer or getattr(option, "deselect", None)) and all(
        Path(argument).resolve() == CONTRACTS for argument in config.args
    )


@pytest.hookimpl(tryfirst=True)
def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    """Stop everything, see that it stopped well, and record who passed."""
    config = session.config
    state = config.stash.get(_session_key, None)
    if state is None:
        return
    wait((state.starting,))
    for name, target_ in config.stash.get(_running_key, {}).items():
        started = next((one for one in state.lab.started if one.pid == target_.pid), None)
        if started and not started.alive:
            state.stop_problems.append(f"{name} died during the tests. Its last lines:\n{target_.last_lines()}")
    images = state.lab.images
    state.stop_problems += state.lab.close()
    if os.environ.get("CI") and state.reasons:
        state.stop_problems.append("on CI nothing may be skipped")
    if state.stop_problems and exitstatus == pytest.ExitCode.OK:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
    judged = not state.outcomes.get(SUITE, {}).get("faults", {}).get("failed")
    whole = judged and _is_whole(config) and exitstatus in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED)
    for one in (each for each in selected(config) if each.server and not each.server.variant):
        layers = _outcomes_of(one.server, selected(config), state.outcomes)
        bad = any(counts.get("failed") or counts.get("skipped") for counts in layers.values()) or state.stop_problems
        image = images.get(one.name)
        if whole and layers and not bad:
            record.write_pass(one.server, layers, state.databases, image)
        elif any(counts.get("failed") for counts in layers.values()):
            record.remove_pass(one.server, image)
    config.getoption("--outcomes").write_text(json.dumps(state.came_of_it()))


def _outcomes_of(server: Server, chosen: Iterable[Selected], outcomes: dict) -> dict[str, dict[str, int]]:
    """Layer → outcome → number, of a server and of its variants that are judged as servers are."""
    layers: dict[str, Counter] = {}
    for name in (one.name for one in chosen if one.server and one.server.id == server.id):
        for layer, counts in outcomes.get(name, {}).items():
            layers.setdefault(layer, Counter()).update(counts)
    return {layer: dict(counts) for layer, counts in layers.items()}


def pytest_terminal_summary(terminalreporter, config: pytest.Config) -> None:
    """What did not stop well."""
    state = config.stash.get(_session_key, None)
    for problem in state.stop_problems if state else []:
        terminalreporter.write_line(problem, red=True)
