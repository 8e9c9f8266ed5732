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
