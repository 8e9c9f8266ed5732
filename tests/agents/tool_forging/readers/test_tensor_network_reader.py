"""What the readers of tensor-network tasks understand, ask and leave alone."""

from __future__ import annotations

import math

import pytest

from labwright.agents.call import Question
from labwright.agents.tool_forging.readers.base import Reading, TaskText, Unread
from labwright.agents.tool_forging.readers.tensor_network import READERS
from labwright.tools.forge.families.tensor_network.driven_spec import DrivenSpec
from labwright.tools.forge.families.tensor_network.ground_spec import GroundSpec
from labwright.tools.forge.families.tensor_network.thermal_spec import ThermalSpec

GROUND, THERMAL, DRIVEN = READERS
ISING = """Use DMRG (TenPy) for the transverse-field Ising chain H = -J sum_i Z_i Z_{i+1} - h sum_i X_i with open boundaries, J = 1, for 8 and 16 sites. Vary h from 0.2
to 1.8 in 9 points. Bond dimension 32. Compute the ground-state energy per site, the transverse magnetisation and the entanglement entropy of half the chain.
"""
KICKED = """A Floquet drive of a spin-1/2 chain with L = 8 sites alternates between H_1 = g sum_i X_i for a time tau1 = 1 and H_2 = J sum_i Z_i Z_{i+1} + sum_i h_i Z_i for
tau2 = 1, with J = 0.3, g = 1.4 and the h_i drawn uniformly from [-1, 1]. Use TEBD (TenPy) with dt = 0.05 and bond dimension 32, average over 4 disorder
realisations, start from all spins up, evolve for 20 periods and plot the z magnetisation and the entanglement entropy.
"""


def test_a_sweep_of_an_ising_chain() -> None:
    reply = GROUND.read(TaskText(ISING))
    assert isinstance(reply, Reading), reply
    spec = reply.spec
    assert isinstance(spec, GroundSpec)
    assert (spec.sizes, spec.boundary, spec.parameter, spec.chi_max) == ([8, 16], "open", "h", 32)
    assert spec.values == pytest.approx([0.2 * k for k in range(1, 10)])
    assert {one.letters: row for one, row in zip(spec.patterns, spec.couplings[4], strict=True)} == {
        "ZZ": -1.0,
        "X": -1.0,
    }
    assert {one.kind for one in spec.observables} == {"site", "half_entropy"}
    assert spec.conserve == "parity_x"
    assert "energy_per_site" in spec.wants


def test_dot_products_and_definitions() -> None:
    text = "Find the ground state of H = J sum_i S_i . S_{i+1}, J = 2, with open boundary conditions and 12 sites by DMRG, and the entanglement entropy at every cut."
    reply = GROUND.read(TaskText(text))
    assert isinstance(reply, Reading), reply
    assert isinstance(reply.spec, GroundSpec)
    assert reply.spec.couplings == [[0.5, 0.5, 0.5]]
    assert reply.spec.conserve == "sz"
    ring = ("DMRG on a ring of N = 9 and 13 qubits with K_i = Z_{i-1} X_i Z_{i+1}: H(phi) = -cos(phi) sum_i K_i - sin(phi) sum_i X_i, phi in [0, pi/2], at 11 values of phi."
            " The string operator is Z_1 (product of X_j over even j) Z_N; compute the string order.")  # fmt: skip
    other = GROUND.read(TaskText(ring))
    assert isinstance(other, Reading), other
    assert isinstance(other.spec, GroundSpec)
    assert [(one.letters, one.offsets) for one in other.spec.patterns] == [("ZXZ", [-1, 0, 1]), ("X", [0])]
    assert other.spec.couplings[5] == pytest.approx([-math.cos(math.pi / 4), -math.sin(math.pi / 4)])
    assert (other.spec.boundary, other.spec.layout) == ("periodic", "folded")


@pytest.mark.parametrize(
    "text",
    [ISING.replace("Vary h from 0.2\nto 1.8 in 9 points.", ""), ISING.replace("for 8 and 16 sites", "")],
)
def test_ground_states_ask(text: str) -> None:
    assert isinstance(GROUND.read(TaskText(text)), Question)


@pytest.mark.parametrize(
    "text",
    [ISING + "The fields have random disorder.", ISING + "Compute the energy gap.", ISING.replace("Ising chain", "spin-1 Ising chain"),
     ISING + "A longitudinal field of 0.1 tilts the spins."],
)  # fmt: skip
def test_ground_states_say_what_is_beyond(text: str) -> None:
    assert isinstance(GROUND.read(TaskText(text)), Unread)


def test_thermal_chains() -> None:
    text = "Prepare the Gibbs state of a 6-site open Hubbard chain with t = 1, U = 8 and chemical potential mu = 1 at inverse temperature beta = 1 with TenPy by imaginary time evolution."
    reply = THERMAL.read(TaskText(text))
    assert isinstance(reply, Reading), reply
    assert isinstance(reply.spec, ThermalSpec)
    assert (reply.spec.n_sites, reply.spec.interaction, reply.spec.chemical_potential, reply.spec.betas[-1]) == (
        6,
        8.0,
        1.0,
        1.0,
    )
    spins = "Using purification (TenPy), compute thermal expectation values for H = -1.0 sum_i Z_i Z_{i+1} - 0.7 sum_i X_i on 6 sites with open ends at T = 0.5 and 2: energy and x magnetisation."
    other = THERMAL.read(TaskText(spins))
    assert isinstance(other, Reading), other
    assert isinstance(other.spec, ThermalSpec)
    assert (other.spec.exchange, other.spec.fields, other.spec.spin_scale) == ([0.0, 0.0, -4.0], [-1.4, 0.0], 2.0)
    assert {0.5, 2.0} <= set(other.spec.betas)


@pytest.mark.parametrize(
    ("change", "kind"),
    [(("at half filling", "with mu = 1 at half filling"), Question), (("at half filling", "at a filling of 0.8"), Unread),
     (("open", "periodic"), Unread), (("beta = 2", "low temperature"), Question), (("U = 4", "repulsion"), Question)],
)  # fmt: skip
def test_thermal_chains_ask_and_refuse(change: tuple[str, str], kind: type) -> None:
    text = "Prepare the Gibbs state of a Hubbard chain of 8 sites by imaginary-time evolution with TenPy: open boundary, t = 1, U = 4, at half filling, down to beta = 2."
    assert isinstance(THERMAL.read(TaskText(text)), Reading)
    assert isinstance(THERMAL.read(TaskText(text.replace(*change))), kind)


def test_driven_chains() -> None:
    reply = DRIVEN.read(TaskText(KICKED))
    assert isinstance(reply, Reading), reply
    spec = reply.spec
    assert isinstance(spec, DrivenSpec)
    assert (spec.n_sites, spec.periods, spec.realisations, spec.disorder_width, spec.chi_max, spec.dt) == (
        8,
        20,
        4,
        1.0,
        32,
        0.05,
    )
    assert [one.duration for one in spec.segments] == [1.0, 1.0]
    assert {(one.letters, one.disorder, one.weights[0]) for one in spec.segments[1].terms} == {
        ("ZZ", False, 0.3),
        ("Z", True, 1.0),
    }
    assert (spec.axis, spec.start, spec.spin_scale) == ("z", [0.0, 0.0, 1.0], 1.0)
    assert spec.pulse_angles[0] == pytest.approx(2.8)


@pytest.mark.parametrize(
    "change",
    [
        ("evolve for 20 periods", "evolve"),
        ("tau2 = 1", "later"),
        ("start from all spins up", "start"),
        ("g = 1.4", "some g"),
    ],
)
def test_driven_chains_ask(change: tuple[str, str]) -> None:
    assert isinstance(DRIVEN.read(TaskText(KICKED.replace(*change))), Question)


def test_each_leaves_the_others_tasks_alone() -> None:
    assert THERMAL.read(TaskText(ISING)) is None
    assert DRIVEN.read(TaskText(ISING)) is None
    assert GROUND.read(TaskText(KICKED)) is None


def _ground(text: str) -> GroundSpec:
    reply = GROUND.read(TaskText(text))
    assert isinstance(reply, Reading), reply
    assert isinstance(reply.spec, GroundSpec)
    return reply.spec


def _terms(spec: GroundSpec, row: int = 0) -> dict[tuple[str, int], float]:
    return {
        (one.letters, max(one.offsets)): value for one, value in zip(spec.patterns, spec.couplings[row], strict=True)
    }


@pytest.mark.parametrize(
    ("told", "terms"),
    [
        ("Neighbouring spins couple with 0.6 Z Z and every spin feels a field -0.2 X.", {("ZZ", 1): 0.6, ("X", 0): -0.2}),
        ("XX between neighbours: -0.5\nZ on each site: 0.3", {("XX", 1): -0.5, ("Z", 0): 0.3}),
        ("Bonds ........ coefficient 0.7 of Z(i) Z(i+1)\nField ........ coefficient -g of X(i)\ng ............ 0.4",
         {("ZZ", 1): 0.7, ("X", 0): -0.4}),
        ("On every bond acts 0.5 (X X + Y Y) - 0.2 Z Z.", {("XX", 1): 0.5, ("YY", 1): 0.5, ("ZZ", 1): -0.2}),
        ("Next-nearest neighbours have 0.3 Z Z, neighbours -1 Z Z.", {("ZZ", 2): 0.3, ("ZZ", 1): -1.0}),
        ("Spin operators S; between neighbours the x and y parts have strength 1, the z part strength 0.5.",
         {("XX", 1): 0.25, ("YY", 1): 0.25, ("ZZ", 1): 0.125}),
    ],
)  # fmt: skip
def test_terms_that_are_told_one_by_one(told: str, terms: dict[tuple[str, int], float]) -> None:
    spec = _ground(f"Ground state by DMRG of an open chain of 10 sites.\n{told}\nReport the energy.")
    assert _terms(spec) == pytest.approx(terms)


def test_a_term_on_nobody_knows_which_sites_asks() -> None:
    text = "Ground state by DMRG of an open chain of 10 sites. The coupling is 0.4 Z Z and 0.2 X. Report the energy."
    assert isinstance(GROUND.read(TaskText(text)), Question)


def test_a_coefficient_without_a_value_is_not_dropped() -> None:
    text = "Ground state by DMRG, 10 open sites, H = -sum_i Z_i Z_{i+1} - lam sum_i X_i. Report the energy."
    reply = GROUND.read(TaskText(text))
    assert isinstance(reply, Question)
    assert "lam" in reply.text


def test_what_is_measured_in_ground_states() -> None:
    text = ISING + "Also the correlator <Z_0 Z_r>, and the correlation <X_i X_{i+1}> of neighbours on every bond. "
    found = {(one.kind, one.letters, one.origin) for one in _ground(text + "Magnetisation along z.").observables}
    assert {("correlator", "ZZ", 0), ("bond", "XX", None), ("site", "Z", None), ("site", "X", None)} <= found
    assert isinstance(GROUND.read(TaskText(text + "Give the connected correlations, too.")), Unread)
    assert isinstance(GROUND.read(TaskText(ISING + "Give the correlator <S_0 . S_r>, too.")), Unread)


def test_a_coupling_in_front_of_a_length_is_no_length() -> None:
    assert _ground(ISING.replace("for 8 and 16 sites", "with J2 = 0.5, open, 16 sites")).sizes == [16]


def _thermal(text: str) -> ThermalSpec:
    reply = THERMAL.read(TaskText(text))
    assert isinstance(reply, Reading), reply
    assert isinstance(reply.spec, ThermalSpec)
    return reply.spec


HUBBARD = "Gibbs states of an open Hubbard chain of 4 sites by purification: hopping 1, interaction 3, {}"


def test_temperatures_in_units_of_a_coupling() -> None:
    warm = _thermal(HUBBARD.format("half filling. k_B T / t = 0.5 and 2. Report the energy per site."))
    assert warm.temperatures == [0.5, 2.0]
    ising = (
        "Thermal states, 6 open sites, H = -J sum_i Z_i Z_{i+1} - 0.3 sum_i X_i with J = 2. beta J = 1 and 4. Energy."
    )
    cold = _thermal(ising)
    assert cold.asked == [0.5, 2.0]
    assert cold.exchange == [0.0, 0.0, -8.0]


def test_what_holds_for_another_case_sets_nothing() -> None:
    spec = _thermal(HUBBARD.format("mu = 1 (half filling would be at mu = 1.5). beta = 1. Report the density."))
    assert spec.chemical_potential == 1.0
    away = _thermal(HUBBARD.format("chemical potential 1, away from half filling. beta = 1. Report the density."))
    assert away.chemical_potential == 1.0


def test_energies_with_the_chemical_potential() -> None:
    grand = _thermal(HUBBARD.format("chemical potential 1. beta = 1. Report <H - mu N> per site."))
    plain = _thermal(HUBBARD.format("chemical potential 1. beta = 1. Report the energy without the mu N term."))
    assert (grand.energy_convention, plain.energy_convention) == ("grand", "hubbard")


def test_a_length_from_the_ends_of_sums() -> None:
    text = (
        r"Gibbs states by purification for $H=-t\sum_{i=1}^{3}\sum_\sigma(c^\dagger_{i\sigma}c_{i+1,\sigma}+h.c.)"
        r"+U\sum_{i=1}^{4}n_{i\uparrow}n_{i\downarrow}$, $t=1$, $U=2$, $\mu=1/2$, $\beta=1$. Report the double occupancy."
    )
    spec = _thermal(text)
    assert (spec.model, spec.n_sites, spec.chemical_potential) == ("hubbard", 4, 0.5)


@pytest.mark.parametrize(
    "asked", ["the correlation <X_i X_{i+1}>", "the correlator <Z_0 Z_r>", "<Y>", "the entanglement entropy"]
)
def test_what_gibbs_states_do_not_give_is_refused(asked: str) -> None:
    text = f"Gibbs states of 6 open sites by purification, H = -sum_i Z_i Z_(i+1) - 0.3 sum_i X_i, beta = 1. Report {asked}."
    assert isinstance(THERMAL.read(TaskText(text.replace("Z_(i+1)", "Z_{i+1}"))), Unread)


def _driven(text: str) -> DrivenSpec:
    reply = DRIVEN.read(TaskText(text))
    assert isinstance(reply, Reading), reply
    assert isinstance(reply.spec, DrivenSpec)
    return reply.spec


@pytest.mark.parametrize(
    "segments",
    [
        "Segment 1, duration 0.8: H1 = 0.4 sum Z_i Z_{i+1}\nSegment 2, duration 0.3: H2 = 1.1 sum X_i",
        "First H1 = 0.4 sum Z_i Z_{i+1} acts for a time 0.8. Then H2 = 1.1 sum X_i acts for a time 0.3.",
        "During the first 0.8 neighbours feel 0.4 Z Z, in the remaining 0.3 every spin feels 1.1 X.",
        '- {order: 1, duration: 0.8, H: "0.4 * ZZ (neighbours)"}\n- {order: 2, duration: 0.3, H: "1.1 * X (every site)"}',
    ],
)
def test_segments_of_a_period(segments: str) -> None:
    spec = _driven(
        f"Periodic drive of 6 spins, open chain, TEBD.\n\n{segments}\n\nStart: all spins along +x. 10 periods. Report <X> averaged over all sites."
    )
    found = [(one.duration, [(term.letters, term.weights) for term in one.terms]) for one in spec.segments]
    assert found == [(0.8, [("ZZ", [0.4])]), (0.3, [("X", [1.1])])]
    assert (spec.start, spec.axis, spec.periods) == ([1.0, 0.0, 0.0], "x", 10)


def test_a_period_that_its_segments_do_not_fill_asks() -> None:
    text = (
        "Periodic drive of 6 spins with a period of 2, open chain, TEBD. First H1 = 0.4 sum Z_i Z_{i+1} acts for a time 0.8. "
        "Then H2 = 1.1 sum X_i acts for a time 0.3. Start: all spins up. 10 periods. Report <Z>."
    )
    assert isinstance(DRIVEN.read(TaskText(text)), Question)
    assert _driven(text.replace("a period of 2", "a period of 1.1")).axis == "z"


def test_the_axis_that_is_measured_is_not_the_one_of_the_start() -> None:
    spec = _driven(KICKED.replace("start from all spins up", "start with all spins along +x"))
    assert (spec.start, spec.axis) == ([1.0, 0.0, 0.0], "z")


def test_energies_of_a_driven_chain_are_refused() -> None:
    assert isinstance(DRIVEN.read(TaskText(KICKED + "Also report the energy.")), Unread)


def test_a_kick_that_is_no_hamiltonian_is_not_left_out() -> None:
    text = (
        "Kicked chain of length 10, open, with MPS: between kicks H0 = 0.3 sum Z_i Z_{i+1} acts for a time 1, then comes {}. "
        "Start: all spins up. 20 periods. Report <Z>."
    )
    assert isinstance(DRIVEN.read(TaskText(text.replace("{}", "exp(-i 0.8 sum X_i)"))), Unread)
    assert isinstance(DRIVEN.read(TaskText(text.replace("{}", "the kick"))), Question)


def test_a_coupling_called_d_is_no_bond_dimension() -> None:
    spec = _ground(
        "Ground state by DMRG, 8 open sites, H = sum_i Z_i Z_{i+1} - D sum_i X_i, D = 0.5. Report the energy."
    )
    assert (_terms(spec)[("X", 0)], spec.chi_max) == (-0.5, 100)
