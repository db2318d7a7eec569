import pytest
from hdrh.histogram import HdrHistogram

from samewire.race.latency import latency


def test_latency_is_read_from_the_histogram():
    histogram = HdrHistogram(1, 600_000_000_000, 3)
    for milliseconds in (1, 1, 1, 5):
        histogram.record_value(milliseconds * 1_000_000)
    found = latency(histogram.encode().decode())
    assert found.mean == pytest.approx(2, rel=0.001)
    assert found.sd == pytest.approx(3**0.5, rel=0.001)
    assert (found.p50, found.max) == pytest.approx((1, 5), rel=0.001)
    assert found.as_dict()["p99.9"] == pytest.approx(5, rel=0.001)


def test_no_answer_has_no_latency():
    nothing = latency(HdrHistogram(1, 600_000_000_000, 3).encode().decode())
    assert set(nothing.as_dict().values()) == {None}
