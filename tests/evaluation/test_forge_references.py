"""References against closed forms, brute force and each other."""

import numpy as np
import pytest
from forge_right import signs

from labwright.evaluation.forge.references import (
    chains,
    circuits,
    fermions,
    hubbard,
    molecules,
    open_systems,
    slow_references,
)
from labwright.evaluation.forge.references.two_electrons import exact_energy


def test_h2_in_sto3g_is_the_textbooks():
    # Szabo and Ostlund, section 3.5.2 and 4.2: R = 1.4 bohr, full CI -1.1373 hartree
    assert exact_energy(("H", "H"), 1.4 * 0.529177210903) == pytest.approx(-1.1373, abs=1e-4)


def test_far_apart_h2_is_two_atoms_and_heh_a_helium():
    atom = exact_energy(("H", "H"), 60.0) / 2
    assert atom == pytest.approx(-0.466582, abs=1e-5)  # the hydrogen atom in STO-3G
    # He in STO-3G: -2.807784 hartree (Szabo and Ostlund's zeta of 1.69), and a bare proton
    assert exact_energy(("He", "H"), 60.0) == pytest.approx(-2.807784, abs=1e-4)


@pytest.mark.parametrize(
    ("place", "zz", "xx"), [("cnot", 0.7, 0.7), ("all gates", 0.7, 0.7**4), ("preparation", 0.7, 0.49)]
)
def test_noisy_bell_pair_in_closed_form(place, zz, xx):
    found = circuits.noisy_bell(0.3, place)
    assert found["ZZ"] == pytest.approx(zz)
    assert found["XX"] == pytest.approx(xx)


def test_gates_act_on_the_qubit_they_name():
    rho = circuits.on(circuits.X, [0], 2) @ circuits.zero(2) @ circuits.on(circuits.X, [0], 2)
    flip = circuits.cnot(0, 1, 2)
    assert circuits.probabilities(flip @ rho @ flip.T, "ZZ")["11"] == pytest.approx(1)
    back = circuits.cnot(1, 0, 2)
    assert circuits.probabilities(back @ rho @ back.T, "ZZ")["10"] == pytest.approx(1)


def test_decay_of_a_qubit_is_exponential():
    jump = np.sqrt(0.3) * np.array([[0, 0], [1, 0]], dtype=complex)
    time = np.linspace(0, 5, 11)
    rho = open_systems.evolved(np.zeros((2, 2)), [jump], np.full((2, 2), 0.5), time)
    assert np.real(rho[:, 0, 0]) == pytest.approx(0.5 * np.exp(-0.3 * time))
    assert np.real(rho[:, 0, 1]) == pytest.approx(0.5 * np.exp(-0.15 * time))
    assert np.real(np.diag(open_systems.steady(np.zeros((2, 2)), [jump]))) == pytest.approx([0, 1])


def test_several_steady_states_are_said():
    with pytest.raises(ValueError, match="steady states"):
        open_systems.steady(np.diag([1.0, -1.0]).astype(complex), [])


def test_hierarchy_without_a_bath_oscillates():
    time = np.linspace(0, 300, 7)
    found = open_systems.heom_populations([[0, 50], [50, 0]], 1e-9, 100, 300, 1, 0, time)
    assert found[:, 0] == pytest.approx(np.cos(50 * open_systems.CM_RAD_FS * time) ** 2, abs=1e-5)


def test_pure_dephasing_by_the_hierarchy_follows_the_line_shape():
    """Without coupling between the sites populations stay, whatever the bath."""
    found = open_systems.heom_populations([[100, 0], [0, 0]], 50, 100, 300, 3, 1, np.linspace(0, 500, 6))
    assert found[:, 0] == pytest.approx(1.0)


@pytest.mark.parametrize("terminator", [False, True])
def test_hierarchy_agrees_with_qutip(terminator):
    import qutip
    from qutip.solver.heom import DrudeLorentzBath, HEOMSolver

    scale, time = open_systems.CM_RAD_FS, np.linspace(0, 200, 9)
    baths = [
        DrudeLorentzBath(qutip.basis(2, k).proj(), 40 * scale, 1 / 100, open_systems.KB_CM * 300 * scale, 1)
        for k in range(2)
    ]
    hamiltonian = qutip.liouvillian(qutip.Qobj(np.array([[120.0, 60], [60, 0]])) * scale)
    if terminator:
        hamiltonian += sum(bath.terminator()[1] for bath in baths)
    solver = HEOMSolver(hamiltonian, baths, max_depth=3, options={"progress_bar": "", "atol": 1e-8, "rtol": 1e-6})
    theirs = solver.run(qutip.basis(2, 0).proj(), time).states
    ours = open_systems.heom_populations([[120, 60], [60, 0]], 40, 100, 300, 3, 1, time, terminator=terminator)
    assert ours[:, 0] == pytest.approx([np.real(state[0, 0]) for state in theirs], abs=2e-4)


def test_constant_pulses_rotate():
    states = open_systems.pulse_states(np.zeros((2, 2)), [circuits.X], np.full((10, 1), 0.05), 1.0, np.eye(2)[0])
    assert np.abs(states[-1]) ** 2 == pytest.approx([np.cos(0.5) ** 2, np.sin(0.5) ** 2])


def _dense_cluster(n, theta):
    z, index = signs(n), np.arange(2**n)
    h = np.zeros((2**n, 2**n))
    for i in range(n):
        h[index ^ (1 << (n - 1 - i)), index] -= np.sin(theta) + np.cos(theta) * z[i - 1] * z[(i + 1) % n]
    energies, vectors = np.linalg.eigh(h)
    psi = vectors[:, 0]
    flips = sum(1 << (n - 1 - j) for j in range(1, n - 1, 2))
    return energies[0], float(psi[index ^ flips] @ (psi * z[0] * z[n - 1]))


@pytest.mark.parametrize("theta", [0.0, 0.4, 0.78, 0.9, 1.5])
def test_cluster_ring_against_exact_diagonalisation(theta):
    energy, order = _dense_cluster(7, theta)
    assert fermions.cluster_ring(7, theta).energy == pytest.approx(energy)
    assert fermions.string_order(7, theta) == pytest.approx(order, abs=1e-9)


def test_drive_of_one_pair_keeps_bounds_and_starts_polarised():
    x, entropy = chains.floquet_drive([0.3, -1.2, 0.5, 1.9], 0.15, 5, omega=4.0, tau=(0.3927, 0.5))
    assert x[0] == pytest.approx(0.5)
    assert np.abs(x).max() <= 0.5 + 1e-9
    assert entropy[0] == pytest.approx(0, abs=1e-9)
    assert 0 < entropy[-1] <= 2 * np.log(2)


def test_hubbard_chain_at_infinite_temperature_and_atomic_limit():
    hot = hubbard.thermal(4, 4.0, 0.0, 2.0)
    assert (hot.energy, hot.density, hot.double) == pytest.approx((1.0, 1.0, 0.25))
    # without hopping each site has the weights 1, 2 exp(beta mu), exp(beta (2 mu - U))
    beta, mu, u = 1.3, 0.7, 3.0
    weights = np.array([1, 2 * np.exp(beta * mu), np.exp(beta * (2 * mu - u))])
    alone = hubbard.thermal(2, u, beta, mu, t=0.0)
    assert alone.double == pytest.approx(weights[2] / weights.sum())
    assert alone.density == pytest.approx((weights[1] + 2 * weights[2]) / weights.sum())


def test_random_vectors_agree_with_exact_traces():
    exact, found = hubbard.thermal(6, 4.0, 1.0, 2.0), hubbard.typical(6, 4.0, [0.0, 1.0], vectors=12)[1]
    assert found.energy == pytest.approx(exact.energy, abs=0.03)
    assert found.double == pytest.approx(exact.double, abs=0.01)


def test_a_longer_chain_is_bulk_and_ends():
    for beta, within in ((0.5, 1e-6), (2.0, 3e-4)):
        exact, found = hubbard.thermal(6, 4.0, beta, 2.0), hubbard.longer(6, 4.0, beta, 2.0, short=4)
        assert found.energy == pytest.approx(exact.energy, abs=within)
        assert found.double == pytest.approx(exact.double, abs=within)
    assert found.density == pytest.approx(1.0, abs=1e-12)


def test_table_of_the_hubbard_chain_keeps_its_limits():
    table = slow_references.read("hubbard")
    for ensemble in ("grand", "canonical"):
        energy = np.array(table[ensemble]["energy"])
        assert energy[0] == pytest.approx(1.0, abs=0.01)
        assert np.all(np.diff(energy) < 0)
        assert energy[-1] > -0.6  # above the ground state
    # the slope at infinite temperature is minus the variance of H - mu N: 2 t^2 (9 bonds) / 4 ... per site
    slope = (table["grand"]["energy"][1] - table["grand"]["energy"][0]) / 0.25
    assert -2.2 < slope < -1.5


def test_table_of_the_complex_sums_to_one_and_beats_when_cold():
    table = slow_references.read("fmo")
    for temperature in ("300", "77"):
        populations = np.array(table[temperature])
        assert populations.sum(axis=1) == pytest.approx(1.0, abs=1e-3)
        assert populations[0, 0] == 1.0
    regained = [float(np.clip(np.diff(np.array(table[t])[:, 0]), 0, None).sum()) for t in ("77", "300")]
    assert regained[0] > regained[1]


def test_table_of_the_complex_agrees_with_a_shallower_hierarchy():
    time = np.arange(0.0, 101.0, 20.0)
    shallow = open_systems.heom_populations(open_systems.FMO, 35.0, 50.0, 300.0, 2, 1, time)
    assert np.array(slow_references.read("fmo")["300"])[:11:2] == pytest.approx(shallow, abs=0.03)


@pytest.mark.parametrize(
    ("group", "number"), [("Td", 12), ("D3h", 6), ("C2v", 2), ("Dooh", 2), ("Cs", 1), ("D6h", 12), ("S4", 2)]
)
def test_symmetry_numbers(group, number):
    assert molecules.symmetry_number(group) == number


def test_methane_in_the_table_is_near_its_measured_entropy():
    kept = molecules.table()["methane"]["thermo"]["298.15"]
    entropy = (kept["enthalpy"] - kept["gibbs"]) * molecules.HARTREE_KCAL * 1000 / 298.15
    assert entropy == pytest.approx(44.5, abs=0.3)  # cal/(mol K), NIST-JANAF
    assert molecules.table()["methane"]["point_group"] == "Td"


def test_every_reference_says_how_it_was_made():
    for name, kept in molecules.table().items():
        assert name in molecules.SPECIES
        assert kept["with"].startswith("pyscf")
        assert "def2-SVP" in kept["method"]
        assert min(kept.get("frequencies", [1.0])) > molecules.IMAGINARY
