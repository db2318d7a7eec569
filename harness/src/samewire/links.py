"""The shortener's data: seeded, the same everywhere, any number of links.

The first N links of a larger set are the set of N links, so that a test with few links asks for what a race has too.
"""

import random
from collections.abc import Iterator
from itertools import islice

ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
LENGTH = 6
SPACE = len(ALPHABET) ** LENGTH

EXAMPLES = (
    ("dktPz4", "http://www.ford.com.br"),
    ("vOB9ro", "http://www.betweenflashes.es"),
    ("lWgSrt", "http://www.japonmoda.net"),
    ("ShqKWQ", "http://www.somag.tk"),
    ("fBkcRw", "http://www.focus.com"),
    ("hVo72q", "http://www.helgeland-arbeiderblad.no"),
)
"""The rows that the study prints."""

MOST = 1_000_000
"""The study's number of links; `unknown_hashes` stays clear of all of them."""

# A Weyl sequence: i -> (STEP * i + START) mod SPACE visits every hash once because STEP and SPACE (2^6 · 31^6) have no
# common factor. STEP is near SPACE / golden ratio, which scatters neighbours over the whole index.
_STEP = 35_104_543_091
_START = 7_919_654_321

_SYLLABLES = ("ba", "be", "co", "da", "di", "el", "fa", "go", "hi", "in", "ka", "le", "lo", "ma", "mi", "no", "or",
              "pa", "qui", "ra", "ri", "sa", "so", "ta", "te", "ul", "va", "vi", "wa", "xe", "yo", "zu")  # fmt: skip
_DOMAINS = ("com", "net", "org", "de", "com.br", "es", "no", "fr", "it", "nl", "co.uk", "io")


def hash_at(index: int) -> str:
    """The `index`-th hash of the sequence: six of 0-9A-Za-z, different for every index below 62^6."""
    number = (_STEP * index + _START) % SPACE
    digits = []
    for _ in range(LENGTH):
        number, digit = divmod(number, len(ALPHABET))
        digits.append(ALPHABET[digit])
    return "".join(digits)


def _host_at(index: int) -> str:
    """A synthetic host name: syllables spell the index, so that no two are the same."""
    rest, domain = divmod(index, len(_DOMAINS))
    syllables = []
    while rest or len(syllables) < 3:
        rest, syllable = divmod(rest, len(_SYLLABLES))
        syllables.append(_SYLLABLES[syllable])
    return f"www.{''.join(syllables)}.{_DOMAINS[domain]}"


def links(count: int) -> Iterator[tuple[str, str]]:
    """The first `count` links as (hash, url): the study's six examples, then synthetic ones."""
    taken = {hash_ for hash_, _ in EXAMPLES}
    yield from EXAMPLES[:count]
    synthetic = ((hash_at(i), f"http://{_host_at(i)}") for i in range(2 * MOST))
    yield from islice((link for link in synthetic if link[0] not in taken), max(0, count - len(EXAMPLES)))


def unknown_hashes(count: int, seed: int) -> list[str]:
    """`count` different well-formed hashes that are in no set of up to a million links, chosen by `seed`."""
    taken = {hash_ for hash_, _ in EXAMPLES}
    chosen: dict[str, None] = {}
    generator = random.Random(seed)
    while len(chosen) < count:
        hash_ = hash_at(generator.randrange(2 * MOST, SPACE))
        if hash_ not in taken:
            chosen[hash_] = None
    return list(chosen)
