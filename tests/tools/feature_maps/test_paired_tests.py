"""Paired tests: against their definitions, and that words claim no more than they show."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import ttest_rel

from labwright.tools.errors import InputError
from labwright.tools.feature_maps.paired_tests import holm, mcnemar, over_splits, sentence, verdict


@given(wins=st.integers(0, 40), losses=st.integers(0, 40), ties=st.integers(0, 20))
def test_mcnemar_counts_the_samples_on_which_two_differ(wins, losses, ties):
    first = np.array([True] * wins + [False] * losses + [True] * ties, dtype=bool)
    second = np.array([False] * wins + [True] * losses + [True] * ties, dtype=bool)
    found, n = mcnemar(first, second), wins + losses
    tail = sum(math.comb(n, k) for k in range(min(wins, losses) + 1)) / 2**n
    assert (found.wins, found.losses) == (wins, losses)
    assert found.p == pytest.approx(min(1.0, 2 * tail))


def test_the_error_over_splits_is_that_of_the_paired_t_test_but_for_shared_samples():
    first, second = [0.95, 0.97, 0.96, 0.99, 0.94], [0.94, 0.95, 0.96, 0.97, 0.95]
    plain = over_splits(first, second, 10**12, 1)  # a test part that is nothing beside the training part
    assert plain.p == pytest.approx(ttest_rel(first, second).pvalue, rel=1e-6)
    shared = over_splits(first, second, 600, 200)
    assert shared.error == pytest.approx(plain.error * math.sqrt((1 / 5 + 1 / 3) / (1 / 5)))
    assert shared.p > plain.p
    assert over_splits([0.9], [0.8], 600, 200).p == 1.0


def test_the_corrected_test_raises_few_false_alarms_where_the_naive_one_does():
    """Equal classifiers on overlapping splits: the splits' differences share most of their noise."""
    rng = np.random.default_rng(0)
    alarms = 0
    for _ in range(400):
        shared = rng.normal(scale=math.sqrt(1 / 3))  # correlation 1 / 4, that of a test share of 1 / 4
        differences = (shared + rng.normal(size=10)) / 100
        alarms += over_splits(differences.tolist(), [0.0] * 10, 750, 250).p < 0.05
    assert alarms / 400 < 0.08


def test_holm_is_that_of_the_textbook():
    assert holm({"a": 0.01, "b": 0.04, "c": 0.03}) == pytest.approx({"a": 0.03, "c": 0.06, "b": 0.06})


@given(points=st.floats(-5, 5), p=st.floats(0, 1), more=st.floats(1, 10))
def test_a_win_holds_among_all_comparisons_and_a_loss_by_itself(points, p, more):
    said = verdict(points, p, min(1.0, p * more))
    assert (said == "better") == (points > 0 and p * more < 0.05)
    assert (said == "worse") == (points < 0 and p < 0.05)
    words = sentence("rbf", points, p, said)
    assert ("is better" in words, "is worse" in words) == (said == "better", said == "worse")


def test_what_is_not_paired_is_refused():
    with pytest.raises(InputError, match="same samples"):
        mcnemar(np.ones(3, bool), np.ones(4, bool))
    with pytest.raises(InputError, match="same splits"):
        over_splits([0.9], [0.9, 0.8], 10, 10)
