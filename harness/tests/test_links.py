import itertools
import re

from samewire.links import EXAMPLES, hash_at, links, unknown_hashes

HASH = re.compile(r"[0-9A-Za-z]{6}")


def test_fewer_links_are_the_first_of_more():
    assert list(links(5_000)) == list(itertools.islice(links(20_000), 5_000))


def test_the_studys_rows_come_first():
    assert tuple(links(6)) == EXAMPLES
    assert list(links(2)) == list(EXAMPLES[:2])


def test_there_are_as_many_as_asked_for_and_no_hash_or_url_twice():
    rows = list(links(100_000))
    assert len(rows) == len({hash_ for hash_, _ in rows}) == len({url for _, url in rows}) == 100_000


def test_every_link_keeps_to_the_rules_of_the_contract():
    for hash_, url in links(20_000):
        assert HASH.fullmatch(hash_)
        assert re.fullmatch(r"http://[A-Za-z0-9._-]+", url)
        assert len(url) <= 2_048


def test_the_sequence_is_pinned():
    """Data that changes silently would make old runs incomparable."""
    assert [hash_at(0), hash_at(1), hash_at(999_999)] == PINNED_HASHES
    assert next(itertools.islice(links(1_000), 999, None)) == PINNED_LINK


def test_unknown_hashes_are_in_no_set_of_links():
    unknown = unknown_hashes(1_000, seed=1)
    assert len(set(unknown)) == 1_000
    assert all(HASH.fullmatch(hash_) for hash_ in unknown)
    assert not set(unknown) & {hash_ for hash_, _ in links(200_000)}
    assert unknown == unknown_hashes(1_000, seed=1) != unknown_hashes(1_000, seed=2)


PINNED_HASHES = ["1s3yd8", "w99hxk", "wQmbgg"]
PINNED_LINK = ("wrl3bq", "http://www.quicoba.nl")
