import math

import numpy as np
import pytest
from pydantic import ValidationError

from tools.metropolis_ising import MetropolisIsingInput, metropolis_ising


def _run(spins=5, coupling=1.3, temperature=2.0, warm_up=50, blocks=20, block_sweeps=150, seed=4):
    given = MetropolisIsingInput(
        spins=spins,
        coupling=coupling,
        temperature=temperature,
        warm_up_sweeps=warm_up,
        blocks=blocks,
        block_sweeps=block_sweeps,
        seed=seed,
    )
    return metropolis_ising(given)


def _exact(n, coupling, temperature):
    """Energy per spin of the ring by the transfer matrix."""
    t = math.tanh(coupling / temperature)
    return -coupling * (t + t ** (n - 1)) / (1 + t**n)


@pytest.mark.parametrize("case", [(5, 1.3, 2.0), (4, -0.8, 1.1), (3, 0.7, 3.0), (7, -1.0, 0.9)])
def test_invariant_transfer_matrix(case):
    out = _run(*case)
    assert abs(out.energy_per_spin - _exact(*case)) < 4 * out.energy_error
    assert 0 < out.energy_error < 0.04 * abs(case[1])


def test_invariant_long_run_is_precise():
    out = _run(3, 1.0, 1.8, blocks=30, block_sweeps=500)
    assert out.energy_per_spin == pytest.approx(_exact(3, 1.0, 1.8), abs=0.02)


def test_invariant_frozen_ring_has_the_ground_state_energy():
    out = _run(6, 1.3, 0.05, warm_up=400, blocks=3, block_sweeps=5)
    assert out.energy_per_spin == pytest.approx(-1.3, rel=1e-12)
    assert out.energy_error == pytest.approx(0.0, abs=1e-12)
    assert out.acceptance == 0.0


def test_invariant_antiferromagnet_of_odd_length_is_frustrated():
    out = _run(5, -1.0, 0.05, warm_up=400, blocks=3, block_sweeps=5)
    assert out.energy_per_spin == pytest.approx(-0.6, rel=1e-12)


def test_invariant_no_coupling_accepts_all():
    out = _run(4, 0.0, 1.0, warm_up=3, blocks=2, block_sweeps=4)
    assert out.acceptance == 1.0
    assert out.energy_per_spin == 0.0


def test_invariant_acceptance_of_three_spins():
    # Aligned (two states): dE = 4J; otherwise the odd spin flips freely for -4J, the two others for 0.
    k = 1.0 / 3.0
    aligned = 2 * math.exp(3 * k) / (2 * math.exp(3 * k) + 6 * math.exp(-k))
    out = _run(3, 1.0, 3.0, blocks=10, block_sweeps=800)
    assert out.acceptance == pytest.approx(aligned * math.exp(-4 * k) + 1 - aligned, abs=0.02)


def test_error_of_the_mean_from_the_blocks():
    out = _run(5, 1.3, 2.0, blocks=6, block_sweeps=7)
    blocks = np.array(out.block_energies)
    assert blocks.size == 6
    assert out.energy_per_spin == pytest.approx(blocks.sum() / 6, rel=1e-12)
    assert out.energy_error == pytest.approx(math.sqrt(np.sum((blocks - blocks.mean()) ** 2) / 30), rel=1e-10)


def test_blocks_of_one_sweep_are_possible_energies():
    out = _run(5, 1.0, 2.0, warm_up=0, blocks=40, block_sweeps=1)
    assert {round(5 * e) for e in out.block_energies} <= {-5, -1, 3}
    assert [5 * e for e in out.block_energies] == pytest.approx([round(5 * e) for e in out.block_energies], abs=1e-12)


def test_error_temperature():
    with pytest.raises(ValidationError, match="temperature"):
        _run(temperature=0.0)


def test_error_blocks():
    with pytest.raises(ValidationError, match="blocks"):
        _run(blocks=1)
