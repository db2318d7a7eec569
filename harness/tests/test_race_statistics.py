import math

import numpy as np
import pytest

from samewire.race.statistics import Interval, correlation_interval, holm, mean_interval, ratio_interval, ratio_p

ROUNDS = 5
RACES = 4000


def test_mean_of_positive_values_is_geometric_with_t_on_logarithms():
    # Logarithms 1 … 5: mean 3, s = √2.5, t(0.975; 4) = 2.776445.
    interval = mean_interval([math.exp(value) for value in (1, 2, 3, 4, 5)])
    half = 2.776445 * math.sqrt(2.5) / math.sqrt(5)
    assert interval.mean == pytest.approx(math.exp(3))
    assert interval.low == pytest.approx(math.exp(3 - half), rel=1e-6)
    assert interval.high == pytest.approx(math.exp(3 + half), rel=1e-6)
    assert interval.n == 5


def test_mean_with_a_zero_is_arithmetic():
    # Values 0, 1, 2: mean 1, s = 1, t(0.975; 2) = 4.302653.
    interval = mean_interval([0.0, 1.0, 2.0])
    assert interval.mean == pytest.approx(1)
    assert interval.high == pytest.approx(1 + 4.302653 / math.sqrt(3), rel=1e-6)
    assert interval.low == pytest.approx(1 - 4.302653 / math.sqrt(3), rel=1e-6)


def test_equal_rounds_have_no_width():
    assert mean_interval([0.0, 0.0, 0.0]) == Interval(0.0, 0.0, 0.0, 3)


def test_an_interval_with_all_numbers_in_it_is_none():
    assert mean_interval([1e-3, 1e3], 0.99999) == Interval(pytest.approx(1), None, None, 2)


def test_one_round_has_no_interval():
    assert mean_interval([7.0]) == Interval(pytest.approx(7.0), None, None, 1)
    assert ratio_interval([6.0], [3.0]) == Interval(pytest.approx(2.0), None, None, 1)


def test_ratio_takes_out_what_both_share():
    machine = [1.0, 0.5, 2.0, 1.3, 0.8]
    ratio = ratio_interval([2 * speed for speed in machine], machine)
    assert (ratio.low, ratio.mean, ratio.high) == pytest.approx((2, 2, 2))


@pytest.mark.parametrize(("a", "b"), [([1.0], [1.0, 2.0]), ([1.0, 0.0], [1.0, 1.0]), ([1.0, 1.0], [-1.0, 1.0])])
def test_ratio_refuses_what_it_cannot_divide(a, b):
    with pytest.raises(ValueError, match=r"rounds against|positive"):
        ratio_interval(a, b)


def test_no_rounds_are_refused():
    with pytest.raises(ValueError, match="no rounds"):
        mean_interval([])


def _coverage(covered):
    return sum(covered) / len(covered)


def test_coverage_of_ratios_of_five_rounds():
    """95 % of the intervals hold the true ratio, whatever the noise that both servers share in a round."""
    random = np.random.default_rng(20260101)
    covered = []
    for _ in range(RACES):
        shared = random.normal(0, 0.3, ROUNDS)
        a = np.exp(math.log(3.0) + shared + random.normal(0, 0.05, ROUNDS))
        b = np.exp(shared + random.normal(0, 0.08, ROUNDS))
        interval = ratio_interval(list(a), list(b))
        covered.append(interval.low <= 3.0 <= interval.high)
    assert _coverage(covered) == pytest.approx(0.95, abs=0.01)


def test_coverage_of_means_of_five_rounds():
    random = np.random.default_rng(20260102)
    covered = []
    for _ in range(RACES):
        interval = mean_interval(list(np.exp(random.normal(math.log(1000), 0.1, ROUNDS))))
        covered.append(interval.low <= 1000 <= interval.high)
    assert _coverage(covered) == pytest.approx(0.95, abs=0.01)


def test_a_bootstrap_of_five_rounds_would_decide_falsely():
    """Why there is none here: its intervals miss the truth two to three times as often as they say."""
    random = np.random.default_rng(20260103)
    covered = []
    for _ in range(RACES // 4):
        values = random.normal(0, 1, ROUNDS)
        means = random.choice(values, (500, ROUNDS)).mean(axis=1)
        low, high = np.quantile(means, (0.025, 0.975))
        covered.append(low <= 0 <= high)
    assert _coverage(covered) < 0.88


def test_a_p_value_is_that_of_the_interval():
    random = np.random.default_rng(20260104)
    for _ in range(200):
        a, b = np.exp(random.normal(0.05, 0.1, (2, ROUNDS)))
        p = ratio_p(list(a), list(b))
        for factor, holds_one in ((1 - 1e-6, True), (1 + 1e-6, False)):
            interval = ratio_interval(list(a), list(b), 1 - p * factor)
            assert (interval.low <= 1 <= interval.high) == holds_one


def test_p_values_of_rounds_that_do_not_vary():
    assert ratio_p([2.0, 2.0], [1.0, 1.0]) == 0
    assert ratio_p([1.0, 1.0], [1.0, 1.0]) == 1
    assert ratio_p([2.0], [1.0]) == 1


def test_holm_tests_one_after_the_other_until_one_is_not_rejected():
    # 0.05 / 4 rejects 0.01, 0.05 / 3 does not reject 0.03, so neither is 0.04, though it is below 0.05.
    assert holm([0.04, 0.01, 0.03, 0.9], 0.05) == pytest.approx([0.05 / 3, 0.05 / 4, 0.05 / 3, 0.05 / 3])
    assert holm([0.001, 0.02, 0.04], 0.05) == pytest.approx([0.05 / 3, 0.05 / 2, 0.05])
    assert holm([]) == []


def test_correlation_of_ten_samples_is_as_sure_as_ten_are():
    x = [0.1, 1.4, 2.2, 2.9, 4.3, 5.1, 5.8, 7.2, 8.0, 9.1]
    y = [1.0, 0.4, 2.9, 2.0, 3.1, 6.0, 4.2, 7.9, 6.5, 8.8]
    interval = correlation_interval(x, y)
    r = float(np.corrcoef(x, y)[0, 1])
    # Fisher: artanh r ± 1.959964 / √(n − 3).
    assert interval.mean == pytest.approx(r)
    ends = [math.tanh(math.atanh(r) + sign * 1.959964 / math.sqrt(7)) for sign in (-1, 1)]
    assert (interval.low, interval.high) == pytest.approx(ends, rel=1e-6)
    assert interval.n == 10


def test_a_correlation_needs_what_varies():
    with pytest.raises(ValueError, match="does not vary"):
        correlation_interval([1.0, 1.0], [1.0, 2.0])
