"""The study's validation program: 2,000 hashes, valid and not, and what a lookup of each must say.

`python -m shortener.golden.validation` (in contract-tests/) writes validation.csv again from the seeded links: 1,000
known hashes, 600 that are well-formed and unknown, 400 that are no plain hash: cut, lengthened, with a foreign
character, in the wrong case, percent-encoded or with a query.

The contract speaks of targets that are letters and digits alone. Of the others a server may refuse any.
"""

import csv
import random
import re
from dataclasses import dataclass
from pathlib import Path

from samewire.contract.cases import title
from samewire.contract.compare import ANY, differences, response_problems
from samewire.http import Request, Response
from samewire.links import links, unknown_hashes

FILE = Path(__file__).with_name("validation.csv")
LINKS = 10_000
SEED = 2_000


@dataclass(frozen=True)
class Row:
    """One lookup: the request target, and its status with the value of Location (empty for a 404)."""

    target: str
    status: int
    location: str

    @property
    def ordinary(self) -> bool:
        """Whether the contract says what comes."""
        return bool(re.fullmatch("/[0-9A-Za-z]+", self.target))

    def response(self) -> Response:
        """The golden response."""
        location = (("Location", self.location),) if self.location else ()
        return Response(self.status, title(self.status), "HTTP/1.1", location, b"" if self.status == 404 else ANY)


def rows() -> list[Row]:
    """The 2,000 rows, the study's six examples first and the rest shuffled; the same every time."""
    generator = random.Random(SEED)
    all_links = dict(links(LINKS))
    examples, others = list(all_links.items())[:6], list(all_links.items())[6:]
    made = [Row(f"/{known}", 301, url) for known, url in generator.sample(others, 994)]
    made += [Row(f"/{unknown}", 404, "") for unknown in unknown_hashes(600, SEED)]
    for number, (known, url) in enumerate(generator.sample(others, 400)):
        target, same_hash = _variant(known, number, generator)
        made.append(Row(target, 301, url) if same_hash else Row(target, 404, ""))
    assert not any(row.status == 404 and row.target[1:] in all_links for row in made)
    generator.shuffle(made)
    return [Row(f"/{known}", 301, url) for known, url in examples] + made


def _variant(known: str, number: int, generator: random.Random) -> tuple[str, bool]:
    """A request target made of a known hash, and whether it still means that hash."""
    place = generator.randrange(6)
    other = generator.choice("-_.~!$&'()*+,=:@")
    encoded = f"%{ord(known[place]):02{generator.choice('xX')}}"
    swapped = known.swapcase() if known.swapcase() != known else known + "0"
    variants = (
        (known[: place or 5], False),
        (known + generator.choice("0Az"), False),
        (known[:place] + other + known[place + 1 :], False),
        (swapped, False),
        (known[:place] + generator.choice(("%20", "%0A", "%C3%A9", "%FF", "%7F")) + known[place:], False),
        (known + "%0A", False),
        (known[:place] + encoded + known[place + 1 :], True),
        (known + generator.choice(("?", "?x=1", "?dktPz4")), True),
    )
    text, same_hash = variants[number % len(variants)]
    return f"/{text}", same_hash


def read() -> list[Row]:
    """The rows of validation.csv."""
    with FILE.open(encoding="ascii", newline="") as file:
        return [Row(row["target"], int(row["status"]), row["location"]) for row in csv.DictReader(file)]


def judge(row: Row, request: Request, answer: Response | Exception) -> list[str]:
    """Every mismatch of a server's answer with the golden row; of what is not ordinary, any 4xx will do."""
    if not isinstance(answer, Response):
        return [f"no answer: {answer}"]
    problems = response_problems(answer, request)
    if row.ordinary or not 400 <= answer.status < 500:
        problems += differences(row.response(), answer, request=request, names=("golden", "server"))
    return problems


def write() -> None:
    """Write validation.csv."""
    with FILE.open("w", encoding="ascii", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(("target", "status", "location"))
        writer.writerows((row.target, row.status, row.location) for row in rows())


if __name__ == "__main__":
    write()
