"""Pure dephasing against the exact lineshape function, symmetric dimers, free exciton swings, shapes and errors."""

import numpy as np
import pytest
from pydantic import ValidationError

from tools.heom_excitons import HeomExcitonsInput, heom_excitons

TIMES = [0.0, 20.0, 40.0, 80.0, 150.0]
LEFT = [[[1, 0], [0, 0]], [[0, 0], [0, 0]]]
EVEN = [[[0.5, 0], [0.5, 0]], [[0.5, 0], [0.5, 0]]]
PER_FS = 2 * np.pi * 2.99792458e-5


def _given(**more):
    fields = {"hamiltonian": [[0.0, 80.0], [80.0, 0.0]], "reorganization": [35.0, 35.0], "cutoff_times": [50.0, 50.0],
              "temperature": 300.0, "depth": 3, "terms": 1, "expansion": "matsubara", "terminator": False,
              "initial": LEFT, "times": TIMES, "relative_tolerance": 1e-7, "absolute_tolerance": 1e-9}  # fmt: skip
    return HeomExcitonsInput(**(fields | more))


def _lineshape(times, strength, cutoff, temperature, terms):
    """Re g(t) of a Drude-Lorentz bath by its Matsubara sum; |rho_01| falls as exp(-2 Re g) for two equal baths."""
    rate, energy = 1 / cutoff, strength * PER_FS
    thermal = 0.695034800 * temperature * PER_FS
    times = np.array(times)
    total = energy / rate / np.tan(rate / (2 * thermal)) * (np.exp(-rate * times) + rate * times - 1)
    for k in range(1, terms + 1):
        nu = 2 * np.pi * k * thermal
        weight = 4 * energy * rate * thermal / (nu * (nu**2 - rate**2))
        total = total + weight * (np.exp(-nu * times) + nu * times - 1)
    return total


@pytest.mark.parametrize(("temperature", "terms", "strength"), [(300.0, 1, 20.0), (77.0, 2, 20.0), (300.0, 1, 30.0)])
def test_invariant_pure_dephasing(temperature, terms, strength):
    given = _given(hamiltonian=[[100.0, 0.0], [0.0, 0.0]], reorganization=[strength] * 2, temperature=temperature,
                   terms=terms, depth=7, initial=EVEN, coherences=[[0, 1], [1, 0]])  # fmt: skip
    made = heom_excitons(given)
    found = np.array(made.coherences) @ [1, 1j]
    exact = 0.5 * np.exp(-2 * _lineshape(TIMES, strength, 50.0, temperature, terms))
    assert np.abs(found[0]) == pytest.approx(exact, abs=2e-4)
    assert found[1] == pytest.approx(found[0].conj(), abs=1e-7)
    # equal baths shift both sites alike: the phase is that of the site energies
    turned = found[0] * np.exp(1j * 100.0 * PER_FS * np.array(TIMES))
    assert np.abs(np.angle(turned)).max() < 2e-3
    assert np.allclose(made.populations, 0.5, atol=1e-6)
    assert abs(made.lowest_eigenvalue) < 1e-6
    assert made.purities == pytest.approx(0.5 + 2 * np.abs(found[0]) ** 2, abs=1e-6)


def test_invariant_pade_and_terminator_agree_with_many_terms():
    dephasing = {"hamiltonian": [[0.0, 0.0], [0.0, 0.0]], "reorganization": [10.0] * 2, "depth": 4, "initial": EVEN,
                 "coherences": [[0, 1]], "temperature": 100.0}  # fmt: skip
    exact = 0.5 * np.exp(-2 * _lineshape(TIMES, 10.0, 50.0, 100.0, 400))
    bare = heom_excitons(_given(**dephasing, terms=0)).coherences[0]
    closed = heom_excitons(_given(**dephasing, terms=0, terminator=True)).coherences[0]
    pade = heom_excitons(_given(**dephasing, terms=1, expansion="pade")).coherences[0]
    miss = [np.abs(np.array(one) @ [1, 1j] - exact).max() for one in (bare, closed, pade)]
    assert miss[2] < 2e-3
    assert miss[1] < 0.5 * miss[0]
    assert miss[0] > 5e-3


def test_invariant_weak_bath_swings_freely():
    made = heom_excitons(_given(reorganization=[1e-6, 0.0], depth=1, terms=0))
    assert [row[1] for row in made.populations] == pytest.approx(np.sin(80.0 * PER_FS * np.array(TIMES)) ** 2, abs=1e-4)
    assert made.n_operators == 2
    assert made.times == TIMES


def test_invariant_trace_positivity_and_equilibrium():
    made = heom_excitons(_given(times=[0.0, 500.0, 3000.0]))
    assert made.trace_error < 1e-6
    assert made.lowest_eigenvalue > -1e-3
    assert made.populations[-1] == pytest.approx([0.5, 0.5], abs=0.01)
    final = np.array(made.final_state) @ [1, 1j]
    assert np.diag(final).real == pytest.approx(made.populations[-1])
    # thermal: the lower, antisymmetric exciton is the fuller one
    assert final[0, 1].real == pytest.approx(-0.5 * np.tanh(80.0 / (0.695 * 300)), abs=0.01)
    assert made.first_matsubara == pytest.approx(2 * np.pi * 0.6950348 * 300, rel=1e-6)
    assert made.n_operators == 35


def test_invariant_a_mixed_start_gains_only_what_the_coupling_gives():
    mixed = [[[0.5, 0], [0, 0]], [[0, 0], [0.5, 0]]]
    made = heom_excitons(_given(initial=mixed, coherences=[[1, 0]]))
    sizes = np.hypot(*np.array(made.coherences[0]).T)
    assert made.lowest_eigenvalue == pytest.approx(0.5 - sizes.max(), abs=1e-6)
    assert sizes[0] == 0
    assert sizes[-1] > 0.02
    assert made.purities[-1] == pytest.approx(0.5 + 2 * sizes[-1] ** 2, abs=1e-6)
    for method in ("vern7", "dop853"):
        again = heom_excitons(_given(initial=mixed, coherences=[[1, 0]], method=method))
        assert np.allclose(again.coherences, made.coherences, atol=1e-5)


def test_error_inputs():
    for wrong, words in (
        ({"hamiltonian": [[0.0, 1.0], [2.0, 0.0]]}, "symmetric"),
        ({"hamiltonian": [[0.0, 1.0], [2.0]]}, "symmetric"),
        ({"reorganization": [35.0]}, "need 2 entries"),
        ({"cutoff_times": [50.0]}, "need 2 entries"),
        ({"reorganization": [0.0, 0.0]}, "not be negative nor all zero"),
        ({"reorganization": [-1.0, 2.0]}, "not be negative"),
        ({"cutoff_times": [50.0, 0.0]}, "must be positive"),
        ({"times": [1.0, 2.0]}, "begin at 0 and rise"),
        ({"times": [0.0, 2.0, 2.0]}, "begin at 0 and rise"),
        ({"initial": [[[1, 0], [0, 0]], [[0, 0], [1, 0]]]}, "of trace 1"),
        ({"initial": [[[1, 0], [1, 0]], [[0, 0], [0, 0]]]}, "Hermitian"),
        ({"initial": [[[1, 0]]]}, "2 x 2"),
        ({"initial": [[[1], [0]], [[0], [0]]]}, r"\[re, im\] entries"),
        ({"coherences": [[0, 2]]}, "pairs of sites"),
        ({"coherences": [[0]]}, "pairs of sites"),
    ):
        with pytest.raises(ValidationError, match=words):
            _given(**wrong)
