"""The study's validation: 2,000 hashes, valid and not, asked of all servers."""

import pytest
from lockstep import Lockstep

from samewire.contract.compare import side_by_side
from samewire.http import Request, Response
from samewire.outcomes import Blamed
from samewire.target import Target
from shortener.golden import validation

pytestmark = pytest.mark.layer("cases")


def test_golden_data_is_what_the_seed_makes() -> None:
    rows = validation.read()
    assert rows == validation.rows()
    assert len(rows) == 2_000
    assert sum(row.ordinary for row in rows) == 1_750


def test_validation(targets: list[Target]) -> None:
    wrong, blamed = [], set()
    with Lockstep(targets) as lockstep:
        for row in validation.read():
            request = Request("GET", row.target)
            answers = lockstep.ask(dict.fromkeys(lockstep.targets, request))
            judged = {name: validation.judge(row, request, answer) for name, answer in answers.items()}
            if problems := {name: found for name, found in judged.items() if found}:
                blamed |= set(problems)
                lines = [f"  - {name}: {problem}" for name, found in problems.items() for problem in found]
                whole = {name: answer for name, answer in answers.items() if isinstance(answer, Response)}
                shown = side_by_side(request, {"golden": row.response()} | whole, url=targets[0].url)
                wrong.append("\n".join([f"{row.target}:", *lines, shown]))
    if wrong:
        logs = [f"last lines of {target.name}:\n{last}" for target in targets if (last := target.last_lines())]
        message = f"{len(wrong)} of 2,000 lookups are wrong; the first ten:"
        raise Blamed("\n\n".join([message, *wrong[:10], *logs]), sorted(blamed))
