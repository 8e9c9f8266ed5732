"""Dressed states of coupled transmons, against textbook numbers."""

from __future__ import annotations

import numpy as np
import pytest

from labwright.tools.qpu.dynamics import Transmon
from labwright.tools.qpu.transmon_register import Register, register, sum_of
from labwright.tools.qpu.truth import QubitTruth, paper_device


def made(names: tuple[str, ...], couplings: list[tuple[int, int, float]]) -> Register:
    truths = [paper_device().qubit(name) for name in names]
    return register([Transmon(t, 0.0) for t in truths], [t.frequency for t in truths], couplings)


def zz(energies: np.ndarray) -> float:
    e = energies.reshape(4, -1)
    return float(e[1, 1] - e[1, 0] - e[0, 1] + e[0, 0])


@pytest.mark.parametrize(("names", "rate", "expected"), [(("Q1", "Q2"), 0.760, 15.1), (("Q1", "Q8"), 0.702, 11.0)])
def test_static_zz_is_that_of_the_reference_and_of_perturbation_theory(
    names: tuple[str, str], rate: float, expected: float
) -> None:
    first, second = (paper_device().qubit(name) for name in names)
    apart = first.frequency - second.frequency
    a1, a2 = first.anharmonicity, second.anharmonicity
    formula = 2 * rate**2 * (a1 + a2) / ((apart + a1) * (apart - a2))
    found = zz(made(names, [(0, 1, rate)]).energies)
    assert found * 1e3 == pytest.approx(expected, abs=0.1)
    assert found == pytest.approx(formula, rel=2e-3)


def test_single_excitations_stay_at_the_frequencies_that_were_asked_for() -> None:
    chain = made(("Q2", "Q1", "Q8"), [(0, 1, 0.76), (1, 2, 0.702)])
    assert np.abs(chain.energies[[1, 4, 16]]).max() < 1e-6
    assert np.abs(chain.mixing[[0, 1, 4, 16]]).max() < 1e-6


def test_uncoupled_register_is_a_sum_of_ladders() -> None:
    pair = made(("Q1", "Q2"), [])
    ladder = -197.0 * np.array([0, 0, 1, 3])
    assert np.allclose(pair.energies, sum_of([ladder, ladder]))
    assert np.abs(pair.mixing).max() < 1e-9


def test_coupled_bare_transmons_have_these_dressed_states() -> None:
    """Two levels each, solved by hand: the dressed frequencies of w +- sqrt(D^2 / 4 + J^2) come back."""
    truth = QubitTruth(5000.0, -300.0, 50, 50, 0.0, 9000, 1, 1e5, -0.2)
    other = QubitTruth(5010.0, -300.0, 50, 50, 0.0, 9000, 1, 1e5, -0.2)
    pair = register([Transmon(truth, 0.0), Transmon(other, 0.0)], [5000.0, 5010.0], [(0, 1, 3.0)])
    crossed = pair.lowering[0][0, 1]  # the first transmon's operator between |01> and |00>
    direct = pair.lowering[0][0, 4]
    assert crossed**2 + direct**2 == pytest.approx(1.0, abs=1e-9)
    bare_apart = np.sqrt(10.0**2 - 4 * 3.0**2)
    assert abs(crossed / direct) == pytest.approx(np.tan(0.5 * np.arctan(2 * 3.0 / bare_apart)), rel=1e-6)
