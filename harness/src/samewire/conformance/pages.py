"""The report as a page of Markdown for a comment on a pull request, as a page of HTML, and as lines of JSON."""

import json
import re
from dataclasses import asdict
from functools import cache

import jinja2

from samewire.conformance.summary import Result, Summary
from samewire.outcomes import BEHIND_TLS

_COMMENT = 60_000
"""Characters of failures in Markdown: GitHub takes comments of 65,536, GitLab longer ones."""
_ONE_FAILURE = 4_000


def markdown(summary: Summary) -> str:
    """A page whose first line is the verdict. It fits in a comment: of long failures it has the beginning."""
    shown, left = [], _COMMENT
    for result in summary.failed:
        text = result.problem if len(result.problem) <= _ONE_FAILURE else f"{result.problem[:_ONE_FAILURE]}\n…"
        left -= len(text) + 2 * len(result.test)
        if left < 0:
            break
        shown.append((result, text, "`" * max(3, 1 + _longest(text))))
    return _templates(autoescape=False).get_template("report.md.jinja").render(summary=summary, failures=shown)


def html(summary: Summary) -> str:
    """A page in one file, that needs no other."""
    return _templates(autoescape=True).get_template("report.html.jinja").render(summary=summary)


def ndjson(summary: Summary) -> str:
    """A line of JSON for each test, and one for the run, which comes first."""
    run = {"type": "run", "at": summary.at, "passes": summary.passes, "counts": summary.counts}
    run |= {"problems": summary.problems, "not_tried": summary.not_tried}
    run |= {"contracts": summary.contracts, "databases": summary.databases, "tls": summary.tls}
    run |= {"narrowed": summary.narrowed}
    lines = [run, *({"type": "test", **asdict(result)} for result in summary.results)]
    return "".join(f"{json.dumps(line, ensure_ascii=False)}\n" for line in lines)


def _longest(text: str) -> int:
    """How many backticks stand in a row at most: a fence around the text needs more."""
    return max(map(len, re.findall("`+", text)), default=0)


def _cell(counts: dict[str, int]) -> str:
    """`12`, or `11 of 12` where not all have passed; a dash where nothing was asked."""
    whole, passed = sum(counts.values()), counts.get("passed", 0)
    return "–" if not whole else str(whole) if passed == whole else f"{passed} of {whole}"


def _one_line(result: Result) -> str:
    """The first line of what is wrong."""
    return result.problem.strip().partition("\n")[0]


@cache
def _templates(*, autoescape: bool) -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader(__package__),
        autoescape=autoescape,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    environment.globals["behind_tls"] = BEHIND_TLS
    environment.filters |= {"cell": _cell, "one_line": _one_line}
    return environment
