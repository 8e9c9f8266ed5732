"""What the reader of exciton tasks understands, asks and leaves alone."""

from __future__ import annotations

import numpy as np
import pytest

from labwright.agents.call import Question
from labwright.agents.tool_forging.readers.base import Reading, TaskText, Unread
from labwright.agents.tool_forging.readers.heom import READER
from labwright.tools.forge.families.heom.spec import HeomSpec

DIMER = """# Excitonic dimer
A dimer has site energies of 100 1/cm and 0 1/cm and an electronic coupling J = 60 1/cm. Each site is coupled to its own Drude-Lorentz bath with reorganization
energy lambda = 20 1/cm and cutoff frequency gamma = 106 1/cm at T = 150 K. Use QuTiP's HEOM solver with a hierarchy depth of 5 and 1 Matsubara term, with the
terminator. The excitation starts on site 1. Propagate for 2 ps and plot both populations and the coherence between site 1 and site 2.
"""
TRIMER = """Use the hierarchical equations of motion for a trimer with Hamiltonian (in meV)

H = [[0, -10, 0], [-10, 5, -8], [0, -8, 12]]

and Drude-Lorentz baths with reorganisation energy 4 meV and a bath correlation time of 80 fs. Compare the temperatures 100 K, 200 K and 300 K. Depth 3, two
Matsubara terms, no terminator. At the start the exciton sits on site 0; follow the populations for 600 fs.
"""


def _spec(text: str) -> HeomSpec:
    reply = READER.read(TaskText(text))
    assert isinstance(reply, Reading), reply
    assert isinstance(reply.spec, HeomSpec)
    return reply.spec


def test_sites_in_words() -> None:
    spec = _spec(DIMER)
    assert spec.hamiltonian == [[100.0, 60.0], [60.0, 0.0]]
    case = spec.cases[0]
    assert (case.temperature, case.reorganization) == (150.0, [20.0, 20.0])
    # 1/gamma in fs: 5308.8 / 106
    assert case.cutoff_times == pytest.approx([50.083] * 2, abs=1e-3)
    assert (spec.depth, spec.terms, spec.terminator, spec.duration) == (5, 1, True, 2000.0)
    assert (spec.first_site, spec.initial_name, spec.coherences) == (1, "site 1", [[0, 1]])
    assert spec.initial[0][0] == [1.0, 0.0]


def test_a_matrix_in_other_units_and_several_temperatures() -> None:
    spec = _spec(TRIMER)
    assert np.array(spec.hamiltonian)[0, 1] == pytest.approx(-80.6554, abs=1e-3)
    assert spec.cases[0].reorganization == pytest.approx([32.262] * 3, abs=1e-3)
    assert [case.temperature for case in spec.cases] == [100.0, 200.0, 300.0]
    assert (spec.depth, spec.terms, spec.terminator) == (3, 2, False)
    assert spec.cases[0].cutoff_times == [80.0] * 3


def test_what_is_assumed_is_said() -> None:
    reply = READER.read(
        TaskText(DIMER.replace("a hierarchy depth of 5 and 1 Matsubara term, with the\nterminator", "defaults"))
    )
    assert isinstance(reply, Reading)
    said = " ".join(reply.assumptions)
    assert "depth" in said
    assert "Matsubara" in said
    assert "terminator" in said


@pytest.mark.parametrize(
    "change",
    [("an electronic coupling J = 60 1/cm", "a coupling"), ("reorganization\nenergy lambda = 20 1/cm", "strength"),
     ("cutoff frequency gamma = 106 1/cm", "some cutoff"), ("Propagate for 2 ps", "Propagate"), ("at T = 150 K", "somewhere"),
     ("The excitation starts on site 1.", ""), ("lambda = 20 1/cm", "lambda = 20 1/cm and 30 1/cm")],
)  # fmt: skip
def test_it_asks_for_what_is_missing_or_unclear(change: tuple[str, str]) -> None:
    assert isinstance(READER.read(TaskText(DIMER.replace(*change))), Question)


@pytest.mark.parametrize(
    "text",
    [DIMER.replace("Drude-Lorentz bath", "underdamped Brownian bath"), DIMER + "Add a sink with a rate of 1/ps on site 2.",
     DIMER + "Disorder of 50 1/cm is averaged over 100 draws.", DIMER + "A laser pulse excites the dimer."],
)  # fmt: skip
def test_it_says_what_it_cannot_do(text: str) -> None:
    assert isinstance(READER.read(TaskText(text)), Unread)


def test_other_tasks_are_left_alone() -> None:
    assert READER.read(TaskText("Find the ground state of the Heisenberg chain by DMRG.")) is None
