"""Tasks about spin chains, in many words: what is read, what is asked, what is refused."""

from __future__ import annotations

import math
from typing import Any

import pytest

from labwright.agents.call import Question
from labwright.agents.tool_forging.readers.base import Reading, TaskText, Unread
from labwright.agents.tool_forging.readers.spin_chain import READER
from labwright.tools.forge.families.spin_chain import SpinChainSpec
from labwright.tools.forge.families.spin_chain.report import written

ISING = "H = -J sum_i Z_i Z_{i+1} - h sum_i X_i with J = 1 and h = 0.5"
RUN = "Evolve exactly to t = 5 with 100 steps and plot the magnetisation."


def _read(text: str) -> Any:
    return READER.read(TaskText(text))


def _spec(text: str) -> SpinChainSpec:
    reply = _read(text)
    assert isinstance(reply, Reading), reply
    assert isinstance(reply.spec, SpinChainSpec)
    return reply.spec


def test_a_quench() -> None:
    spec = _spec(
        "Use CUDA-Q for an open chain of 8 qubits, H = sum_i (X_i X_{i+1} + Y_i Y_{i+1} + Delta Z_i Z_{i+1}) "
        "with Delta = 0.5, from the Neel state; total time 5 with 200 second-order Trotter steps. Plot <Z_i> "
        "as a heatmap and the half-chain entanglement entropy."
    )
    assert (spec.backend, spec.method, spec.steps, spec.total_time, spec.boundary) == (
        "cudaq",
        "product_2",
        200,
        5,
        "open",
    )
    assert written(spec.cases[0]) == "H = 1 sum_i X_i X_i+1 +1 sum_i Y_i Y_i+1 +0.5 sum_i Z_i Z_i+1"
    assert (spec.initial[0].bits, spec.cuts, spec.wants) == ("01010101", [4], ["magnetisation", "entropy"])


@pytest.mark.parametrize(
    ("hamiltonian", "told"),
    [
        ("H = -J sum_i S^z_i S^z_{i+1} with J = 2", "H = -0.5 sum_i Z_i Z_i+1"),
        ("H = J sum_i (sigma^+_i sigma^-_{i+1} + h.c.) with J = 2", "H = 1 sum_i X_i X_i+1 +1 sum_i Y_i Y_i+1"),
        ("H = -sum_i Z_i Z_{i+1} - 0.2 sum_i Z_i Z_{i+2}", "H = -1 sum_i Z_i Z_i+1 -0.2 sum_i Z_i Z_i+2"),
        ("H = -sum_i Z_{i-1} X_i Z_{i+1}", "H = -1 sum_i Z_i X_i+1 Z_i+2"),
        ("H = -J sum_{i<j} Z_i Z_j / |i-j|^alpha with J = 1 and alpha = 1.5", "H = -1 sum_(i<j) Z_i Z_j / |i-j|^1.5"),
        ("H = -sum Z Z - 0.5 sum X", "H = -1 sum_i Z_i Z_i+1 -0.5 sum_i X_i"),
    ],
)
def test_hamiltonians_in_text(hamiltonian: str, told: str) -> None:
    assert written(_spec(f"An open chain of 6 spins, {hamiltonian}, starts with all spins up. {RUN}").cases[0]) == told


def test_models_by_name_state_their_convention() -> None:
    reply = _read(
        f"Transverse-field Ising chain of 6 qubits, open boundaries, J = 1, h = 0.5, from the all-up state. {RUN}"
    )
    assert isinstance(reply, Reading)
    assert written(reply.spec.cases[0]) == "H = -1 sum_i Z_i Z_i+1 -0.5 sum_i X_i"  # type: ignore[attr-defined]
    assert any("Pauli matrices" in one for one in reply.assumptions)


def test_two_regimes_take_their_names_from_the_section_of_results() -> None:
    spec = _spec(
        "An open Ising chain of 4 qubits in units of an energy J: once J_coup = 5 J with a field h = 0.1 J, "
        "and once J_coup = 0.1 J with h = 5 J. Start from a Haar-random state; total time 2"
        " with a second-order product formula of 50 time steps.\n\n## results.json\n\n- `magnetisation` with "
        "labels `axis` = `z` and `case` (`stiff` for J_coup = 5 J, `soft` for h = 5 J), axes `time`, `site`."
    )
    assert [case.labels for case in spec.cases] == [{"case": "stiff"}, {"case": "soft"}]
    assert [case.patterns[0].coefficient for case in spec.cases] == [-5, -0.1]
    assert spec.initial[0].seed is not None


def test_kicked_chains() -> None:
    words = _spec(
        "A kicked Ising chain of 5 qubits with open boundaries: ZZ coupling J = 0.5, kicked every T = 2 by a "
        "transverse field along X of strength h = 0.7; 8 Floquet periods from |00000>; heatmap of <Z_i>."
    )
    assert written(words.cases[0]).endswith("exp(-i [1 sum_i Z_i Z_i+1]), then exp(-i [0.7 sum_i X_i])")
    assert (words.method, words.steps) == ("floquet", 8)
    formula = _spec(
        "One period of an open kicked chain of 5 qubits is exp(-i h sum X) exp(-i J T sum Z Z) with J = 0.5, "
        "T = 2 and h = 0.3 and 0.9. Start in |00000> and run 8 periods; magnetisation."
    )
    assert [case.labels for case in formula.cases] == [{"h": 0.3}, {"h": 0.9}]
    assert written(formula.cases[0]).endswith("exp(-i [1 sum_i Z_i Z_i+1]), then exp(-i [0.3 sum_i X_i])")
    turned = _spec(
        "A kicked Ising chain of 5 qubits, open, J = 0.5: every period a global rotation about x by an angle "
        "of 0.9 pi; 8 periods from |00000>."
    )
    assert turned.cases[0].layers[1][0].coefficient == pytest.approx(0.45 * math.pi)


@pytest.mark.parametrize(
    ("start", "bits"),
    [
        ("all spins up", "000000"),
        ("the domain wall initial state", "000111"),
        ("the Neel state", "010101"),
        ("|010000>", "010000"),
        ("one flipped spin on site 2", "001000"),
    ],
)
def test_initial_states(start: str, bits: str) -> None:
    assert _spec(f"A ring of 6 spins, {ISING}, starts from {start}. {RUN}").initial[0].bits == bits


def test_rings_and_axes() -> None:
    spec = _spec(
        f"A ring of 6 spins, {ISING}, starts with all spins up. Evolve exactly to t = 5 with 100 steps; "
        f"magnetisation along z and x, energy and the return probability."
    )
    assert (spec.boundary, spec.axes_of_spin) == ("periodic", ["x", "z"])
    assert {"magnetisation", "energy", "return_probability"} <= set(spec.wants)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (
            f"An open Ising chain of 6 qubits, H = -J sum_i Z_i Z_{{i+1}} - h sum_i X_i, starts all up. {RUN}",
            "value of J",
        ),
        (f"An open chain of 6 qubits, {ISING}. {RUN}", "start"),
        (f"An open chain of 6 qubits, {ISING}, starts in |0000>. {RUN}", "6 qubits"),
        (f"An open chain of 6 qubits, {ISING}, starts with all spins up; magnetisation dynamics.", "time"),
        (f"An open Ising chain, {ISING}, starts with all spins up. {RUN}", "How many qubits"),
        (f"An open transverse-field Ising chain of 6 qubits with J = 1 starts all up. {RUN}", "field"),
    ],
)
def test_what_is_missing_is_asked_for(text: str, words: str) -> None:
    reply = _read(text)
    assert isinstance(reply, Question), reply
    assert words in reply.text


@pytest.mark.parametrize(
    "text",
    [
        f"A disordered open chain of 6 qubits, {ISING}, starts with all spins up. {RUN}",
        f"An open chain of 30 qubits, {ISING}, starts with all spins up. {RUN}",
        f"Compute the OTOC of an open chain of 6 qubits, {ISING}, from all spins up. {RUN}",
        (
            f"An open chain of 6 qubits, {ISING}, starts with all spins up. {RUN} Report the spectral statistics "
            f"of Wigner and Dyson."
        ),
        (
            f"An open chain of 6 qubits, {ISING}, starts with all spins up. {RUN}\n\n## results.json\n\n- "
            f"`negativity`, axis `time`."
        ),
    ],
)
def test_what_no_recipe_does_is_refused(text: str) -> None:
    assert isinstance(_read(text), Unread)


@pytest.mark.parametrize(
    "text",
    ["Use TenPy and DMRG for a spin chain of 20 sites over time.", "A qubit decays in time.", "A chain of atoms."],
)
def test_other_families_are_left_alone(text: str) -> None:
    assert _read(text) is None


def test_a_quench_from_one_value_to_another_is_no_sweep() -> None:
    spec = _spec(
        "Quench the transverse-field Ising ring of 6 spins from h = 0 (all up) to h = 2 with J = 1; exact evolution for"
        " times 0 to 6 with 300 steps; return probability."
    )
    assert [case.patterns[1].coefficient for case in spec.cases] == [-2]
