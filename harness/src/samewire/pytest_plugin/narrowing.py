"""Single tests by their names: those that are asked for alone, and those that are known to fail."""

from collections.abc import Iterable
from pathlib import Path

import pytest

from samewire.paths import CHECKOUT, CONTRACTS
from samewire.pytest_plugin.selection import judged_by

_FOLDER = f"{CONTRACTS.relative_to(CHECKOUT)}/"
_unknown_key = pytest.StashKey[list[str]]()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Options that name tests."""
    group = parser.getgroup("samewire")
    group.addoption("--only", action="append", default=[], metavar="NAME", help="only this test, case or theme")
    group.addoption("--known-failing", metavar="FILE", type=Path, help="names of tests, a line each, that must fail")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Keep the tests that are asked for; expect those to fail that are listed."""
    file = config.getoption("--known-failing")
    known = read_names(file) if file else []
    config.stash[_unknown_key] = [name for name in known if not any(_is_one_of(item, [name]) for item in items)]
    if only := config.getoption("--only"):
        kept = [item for item in items if _is_one_of(item, only)]
        config.hook.pytest_deselected(items=[item for item in items if item not in kept])
        items[:] = kept
    reason = f"known to fail, by {file}: if it passes, delete its line"
    for item in items if known else ():
        if _is_one_of(item, known):
            item.add_marker(pytest.mark.xfail(reason=reason, strict=True))


def pytest_sessionfinish(session: pytest.Session) -> None:
    """A worker tells its controller."""
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput["unknown"] = unknown(session.config)


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node) -> None:
    """What a worker tells; one that was killed tells nothing."""
    if told := getattr(node, "workeroutput", {}).get("unknown"):
        node.config.stash[_unknown_key] = told


def unknown(config: pytest.Config) -> list[str]:
    """Names of tests that are known to fail which no test of this session has."""
    return config.stash.get(_unknown_key, [])


def read_names(file: Path) -> list[str]:
    """The names in a file: a line each; `#` begins a comment. Raises pytest.UsageError."""
    try:
        lines = [line.partition(" #")[0].strip() for line in file.read_text(encoding="utf-8").splitlines()]
    except (OSError, UnicodeDecodeError) as error:
        raise pytest.UsageError(f"--known-failing: {file} cannot be read: {error}") from None
    return [line for line in lines if line and not line.startswith("#")]


def _is_one_of(item: pytest.Item, names: Iterable[str]) -> bool:
    """Whether one of the names is the test's id, its function, or its case: `lookup/known`, with an example or not."""
    own, cases = {item.nodeid, getattr(item, "originalname", item.name)}, set()
    if isinstance(item, pytest.Function) and hasattr(item, "callspec"):
        server = judged_by(item)
        cases.add(item.callspec.id.removeprefix(f"{server}-").removesuffix(f"-{server}"))
    return any(name in own | cases or name.partition("[")[0] in cases for name in map(_without_folder, names))


def _without_folder(name: str) -> str:
    return name.removeprefix(_FOLDER)
