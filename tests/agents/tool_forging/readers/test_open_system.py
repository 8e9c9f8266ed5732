"""Tasks about few-level systems, in many words: what is read, what is asked, what is refused."""

from __future__ import annotations

import math
from typing import Any

import pytest

from labwright.agents.call import Question
from labwright.agents.tool_forging.readers.base import Reading, TaskText, Unread
from labwright.agents.tool_forging.readers.open_system import READER
from labwright.tools.forge.families.open_system import OpenSystemSpec
from labwright.tools.forge.families.open_system.report import written

RUN = "Use QuTiP and record <Z> from t = 0 to t = 10 with 101 points."


def _read(text: str) -> Any:
    return READER.read(TaskText(text))


def _spec(text: str) -> OpenSystemSpec:
    reply = _read(text)
    assert isinstance(reply, Reading), reply
    assert isinstance(reply.spec, OpenSystemSpec)
    return reply.spec


def _jumps(spec: OpenSystemSpec) -> list[str]:
    return [written(one) for one in spec.cases[-1].collapse]


def test_unitary_against_lindblad() -> None:
    spec = _spec(
        f"A qubit with H = 0.8 X + 0.3 Z starts in the plus and in the minus eigenstate of X; compare "
        f"unitary with Lindblad evolution for the collapse operator C = sqrt(gamma) * sigmam() with gamma = "
        f"0.25. {RUN}"
    )
    assert [case.labels for case in spec.cases] == [
        {"initial": start, "evolution": method} for method in ("unitary", "lindblad") for start in ("plus", "minus")
    ]
    assert written(spec.cases[0].hamiltonian) == "0.8 X +0.3 Z"
    assert _jumps(spec) == ["0.5 M"]
    assert spec.cases[0].collapse == []


@pytest.mark.parametrize(
    ("words", "jumps"),
    [
        ("It starts in |1> and has T1 = 4 and T2 = 8.", ["0.5 P"]),
        ("It starts in |1> and has T1 = 4 and T2 = 4.", ["0.5 P", "0.25 Z"]),
        ("Starting from the excited state it decays at a rate of 0.25.", ["0.5 M"]),
        (
            (
                "Starting from the excited state it is coupled to a thermal bath with rate gamma = 0.25 and mean "
                "occupation n = 3."
            ),
            ["1 M", "0.866025 P"],
        ),
        ("It starts in the excited state |1> and decays with the collapse operator 0.5 sigma_-.", ["0.5 P"]),
        ("It starts in |0>. The collapse operators are 0.1 sigma_x and 0.2 sigma_z.", ["0.1 X", "0.2 Z"]),
        ("It starts in the ground state; pure dephasing rate 0.5.", ["0.5 Z"]),
    ],
)
def test_damping_in_words(words: str, jumps: list[str]) -> None:
    assert _jumps(_spec(f"A qubit has H = 0.5 Z. {words} {RUN}")) == jumps


def test_levels_by_name_and_transitions() -> None:
    spec = _spec(
        "An atom has the levels g, e, f and H = [[0, 0.5, 0], [0.5, 0.2, 0.4], [0, 0.4, -0.1]]. It decays "
        "from f to e at the rate 0.25 and from e to g at the rate 0.04. It starts in f. Use QuTiP: "
        "populations from t = 0 to t = 20 with 201 points, and the steady state."
    )
    assert spec.levels == ["g", "e", "f"]
    assert _jumps(spec) == ["0.5 |1><2|", "0.2 |0><1|"]
    assert spec.cases[0].initial.amplitudes == [[0, 0], [0, 0], [1, 0]]
    assert set(spec.wants) == {"population", "steady_state"}


def test_levels_counted_from_one() -> None:
    spec = _spec(
        "A Lambda system has H = 0.5 (|1><2| + |2><1|) + 0.3 (|2><3| + |3><2|); level 2 decays to level 1 at "
        "rate 0.25. Starting in |1>, give all populations in QuTiP from t = 0 to t = 20 with 201 points."
    )
    assert written(spec.cases[0].hamiltonian) == "0.5 |0><1| +0.5 |1><0| +0.3 |1><2| +0.3 |2><1|"
    assert _jumps(spec) == ["0.5 |0><1|"]


def test_sweeps_drives_and_units() -> None:
    spec = _spec(
        "A qubit with H = (Delta/2) Z + (Omega/2) X, Omega = 1 and Delta = 0, 1 and 2, starts in |0> without "
        "dissipation. Use QuTiP, populations from t = 0 to t = 10 with 101 points."
    )
    assert (spec.axis, [case.labels["Delta"] for case in spec.cases]) == ("Delta", [0, 1, 2])
    driven = _spec(
        "Use QuTiP: H = (w/2) sigma_z + 0.2 cos(5 t) sigma_x with w = 5 from the ground state without "
        "damping; excited-state population from t = 0 to t = 10 with 101 points."
    )
    assert (driven.cases[0].drives[0].frequency, written(driven.cases[0].drives[0].operator)) == (5, "0.2 X")
    ramsey = _spec(
        "Use QuTiP: a qubit with H = (Delta/2) Z and a detuning Delta = 0.5 MHz starts in (|0> + "
        "|1>)/sqrt(2); T1 = 20 us, T2 = 20 us. Follow <X> for 40 us with 401 points."
    )
    assert ramsey.time_unit == "us"
    assert ramsey.cases[0].hamiltonian.terms[0].coefficient[0] == pytest.approx(math.pi / 2)
    assert (ramsey.cases[0].stop, ramsey.cases[0].points) == (40, 401)


def test_two_qubits_and_a_cavity() -> None:
    pair = _spec(
        "Two qubits with H = 0.25 (X_1 X_2 + Y_1 Y_2) start in |10>; each qubit dephases at rate 0.02, use "
        "QuTiP for populations and concurrence from t = 0 to t = 10 with 101 points. The dephasing rate is "
        "0.02."
    )
    assert written(pair.cases[0].hamiltonian) == "0.25 X X_1 +0.25 Y Y_1"
    assert _jumps(pair) == ["0.1 Z", "0.1 Z_1"]
    assert {"population", "concurrence"} <= set(pair.wants)
    cavity = _spec(
        "Jaynes-Cummings: H = a^dag a + 0.5 sigma_z + g (a^dag sigma_- + a sigma_+) with g = 0.05, 6 Fock "
        "states. The atom starts excited, the cavity in the vacuum and decays with kappa = 0.01. Use QuTiP "
        "for <sigma_z> and the photon number from t = 0 to t = 10 with 101 points."
    )
    assert (cavity.dims, _jumps(cavity)) == ([2, 6], ["0.1 a_1"])
    assert [one.label for one in cavity.observables] == ["sigma_z", "n"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (f"A qubit with H = w Z from |0>, decay rate 0.1. {RUN}", "value of w"),
        (f"A qubit with H = 0.5 Z starts in |1>; T1 = 4 and T2 = 9. {RUN}", "longer than 2 T1"),
        (f"A qubit with H = 0.5 Z decays at the rate 0.1. {RUN}", "begin"),
        ("A qubit with H = 0.5 Z starts in |0> and decays at the rate 0.1. Use QuTiP; <Z>.", "time"),
        (f"A qubit with H = 0.5 Z starts in |0> and decays. {RUN}", "rates"),
        (f"A qubit with H = 0.5 sigma_+ starts in |0> without dissipation. {RUN}", "Hermitian"),
    ],
)
def test_what_is_missing_is_asked_for(text: str, words: str) -> None:
    reply = _read(text)
    assert isinstance(reply, Question), reply
    assert words in reply.text


@pytest.mark.parametrize(
    "text",
    [
        f"Compute the Wigner function of a qubit with H = 0.5 Z that decays at the rate 0.1 from |0>. {RUN}",
        f"A qubit with H = 0.5 Z starts in |0>, decay rate 0.1, with Lindblad quantum trajectories. {RUN}",
        (
            f"A qubit with H = 0.5 Z starts in |0>, decay rate 0.1. {RUN}\n\n## results.json\n\n- `negativity`, "
            f"axis `time`."
        ),
    ],
)
def test_what_no_recipe_does_is_refused(text: str) -> None:
    assert isinstance(_read(text), Unread)


@pytest.mark.parametrize(
    "text",
    [
        "Use HEOM in QuTiP for a dimer.",
        "Find a pulse with GRAPE in QuTiP.",
        "Sample a Bell state with 100 shots.",
        "Relax a molecule.",
    ],
)
def test_other_families_are_left_alone(text: str) -> None:
    assert _read(text) is None


def test_lifetimes_of_two_qubits_are_no_sweep() -> None:
    spec = _spec(
        "Two uncoupled qubits A and B start in (|00> + |11>)/sqrt(2) in the rotating frame. Qubit A relaxes "
        "with T1 = 4 us,"
        " qubit B with T1 = 25 us. Use QuTiP: concurrence for 10 us with 101 points."
    )
    assert len(spec.cases) == 1
    assert _jumps(spec) == ["0.5 P", "0.2 P_1"]


def test_what_is_asked_for_is_no_initial_state() -> None:
    spec = _spec(
        "A qubit with H = 0.5 Z decays at the rate 0.25. Starting from the ground state, compute the excited-state"
        " population with QuTiP up to t = 10 with 101 points."
    )
    assert [case.initial.amplitudes for case in spec.cases] == [[[0, 0], [1, 0]]]


def test_a_time_in_units_of_a_symbol() -> None:
    spec = _spec(
        "A qubit with H = (omega/2) Z has T1 = 10 and T2 = 5 in units of 1/omega. Use QuTiP, evolve it to 30 / omega from "
        "the excited state |1> and record the population of the excited state."
    )
    assert (spec.cases[0].start, spec.cases[0].stop) == (0.0, 30.0)
