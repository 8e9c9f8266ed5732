"""What no reader accounts for refuses or asks: quantities and conditions in many words, none of them a benchmark's."""

from __future__ import annotations

from typing import Any

import pytest

from labwright.agents.call import Question
from labwright.agents.tool_forging.readers.base import Reading, TaskText, Unread
from labwright.agents.tool_forging.readers.chemistry import READER as CHEMISTRY
from labwright.agents.tool_forging.readers.language.references import reference_elsewhere
from labwright.agents.tool_forging.readers.open_system import READER as OPEN
from labwright.tools.forge.families.chemistry.spec import ChemistrySpec

MOLECULE = "Hydrogen sulfide with B3LYP/def2-SVP: energy and dipole moment."
AMMONIA = "Compute the reaction enthalpy of N2 + 3 H2 -> 2 NH3 with HF/STO-3G"
QUBIT = (
    "Use QuTiP. A qubit with H = 0.8 X starts in |1>; record the population of |1> from t = 0 to t = 10 "
    "with 101 points."
)


def _chemistry(text: str) -> ChemistrySpec:
    reply = CHEMISTRY.read(TaskText(text))
    assert isinstance(reply, Reading), reply
    assert isinstance(reply.spec, ChemistrySpec)
    return reply.spec


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ("Also of interest: its polarizability.", "polarizability"),
        ("The wavelength of the first band goes into the table.", "wavelength"),
        ("Where is the absorption at 350 nm from?", "nm"),
        ("Infrared activity matters to us.", "Infrared"),
        ("(2) barrier to inversion: the inversion barrier.", "inversion barrier"),
        ("We run at 90 degrees Celsius.", "90 degrees Celsius"),
        ("Partial charges belong there as well, by RESP.", "RESP"),
        ("The equilibrium constant follows.", "equilibrium constant"),
        ("Atomisation energy too.", "Atomisation energy"),
        ("Bond orders, while you are at it.", "Bond orders"),
        ("What about the spin density?", "spin density"),
        ("Its ionisation potential next to it.", "ionisation potential"),
    ],
)
def test_a_quantity_that_nothing_answers_to_refuses_with_its_words(more: str, words: str) -> None:
    _chemistry(MOLECULE)
    reply = CHEMISTRY.read(TaskText(f"{MOLECULE}\n\n{more}"))
    assert isinstance(reply, Unread), reply
    assert "not accounted for" in reply.reason or "No recipe" in reply.reason
    assert words in reply.reason


@pytest.mark.parametrize(
    "more", ["No bond angles are needed.", "We do not need wavelengths.", "Skip the polarizability, please."]
)
def test_what_is_not_wanted_refuses_nothing(more: str) -> None:
    assert _chemistry(f"{MOLECULE} {more}").wanted == _chemistry(MOLECULE).wanted


@pytest.mark.parametrize(
    ("conditions", "kelvin"),
    [
        ("at 25 degrees Celsius and at 400 kelvin", [298.15, 400.0]),
        ("at 300, 350 and 400 K", [300.0, 350.0, 400.0]),
        ("at 310 K, then at 60 °C", [310.0, 333.15]),
        ("from 300 K to 500 K every 50 K", [300.0, 350.0, 400.0, 450.0, 500.0]),
        ("between 0 and 100 degC in five steps", [273.15, 293.15, 313.15, 333.15, 353.15, 373.15]),
    ],
)
def test_every_temperature_is_computed(conditions: str, kelvin: list[float]) -> None:
    assert _chemistry(f"{AMMONIA}, {conditions}.").at == pytest.approx(kelvin)


@pytest.mark.parametrize(
    ("conditions", "missing"),
    [("between 300 and 400 K", "in which steps"), ("at 1 bar and at 20 bar", "20 bar"), ("at 0 K", "absolute zero")],
)
def test_conditions_that_cannot_be_met_are_named(conditions: str, missing: str) -> None:
    reply = CHEMISTRY.read(TaskText(f"{AMMONIA}, {conditions}."))
    assert isinstance(reply, Unread | Question), reply
    told = reply.text if isinstance(reply, Question) else f"{reply.words} {reply.reason}"
    assert missing in told


@pytest.mark.parametrize(
    ("more", "wanted"),
    [
        ("The H-S-H bond angle is due, too.", "geometry"),
        ("- angle between the two bonds", "geometry"),
        ("Besides: the dihedral of the chain.", "geometry"),
        ("Heat capacity next to it.", "enthalpy"),
    ],
)
def test_a_quantity_that_is_computed_is_read(more: str, wanted: str) -> None:
    assert wanted not in _chemistry(MOLECULE).wanted
    assert wanted in _chemistry(f"{MOLECULE}\n\n{more}").wanted


@pytest.mark.parametrize(
    "text",
    [
        "Needed for N2 + 3 H2 = 2 NH3 (HF/STO-3G): (1) reaction enthalpy, (2) free enthalpy of reaction, at 400 kelvin.",
        "HF/STO-3G. N2 + 3 H2 = 2 NH3 (SMILES N#N, [H][H], N). Reaction enthalpy and Gibbs energy at 126.85 °C.",
        "HF/STO-3G; N2 + 3 H2 -> 2 NH3; enthalpy and entropy of the reaction at 126.85 degrees Celsius, please.",
    ],
)
def test_a_reaction_written_with_an_equals_sign_and_nominal_demands(text: str) -> None:
    spec = _chemistry(text)
    (made,) = spec.reactions
    assert {one.species: one.coefficient for one in made.terms} == {"N2": -1.0, "H2": -3.0, "NH3": 2.0}
    assert spec.thermochemistry
    assert spec.temperature == pytest.approx(400.0)


@pytest.mark.parametrize("text", ["reaction enthalpy", "heat of formation and enthalpy", "free energy of reaction"])
def test_energies_of_molecules_are_none_of_a_reaction(text: str) -> None:
    reply = CHEMISTRY.read(TaskText(f"Wanted with HF/STO-3G for methane and oxygen: {text}."))
    assert isinstance(reply, Unread | Question), reply


def test_a_molecule_beside_the_reaction_is_not_dropped() -> None:
    reaction = "compute the reaction enthalpy of 2 H2 + O2 -> 2 H2O with HF/STO-3G"
    assert [one.name for one in _chemistry(f"Please {reaction}.").species] == ["H2", "O2", "H2O"]
    reply = CHEMISTRY.read(TaskText(f"Optimise methane and {reaction}."))
    assert isinstance(reply, Unread), reply
    assert reply.words == "methane"


def test_nouns_are_demands() -> None:
    spec = _chemistry(
        "Formaldehyde, PBE0/def2-SVP: equilibrium geometry, normal-mode wavenumbers, dipole moment, and five singlet "
        "excitations by TD-DFT, not TDA."
    )
    assert spec.optimise
    assert {"frequencies", "dipole", "coordinates"} <= set(spec.wanted)
    assert spec.excited is not None
    assert not spec.excited.tamm_dancoff


@pytest.mark.parametrize(
    "more",
    [
        "The excited state has a finite lifetime.",
        "It is a lossy device.",
        "Its coherence time is short.",
        "Photons leak out.",
        "The rates are those of a good device.",
        "A cascade follows.",
        "Decoherence matters.",
        "The qubit emits.",
    ],
)
def test_loss_without_rates_asks_for_them(more: str) -> None:
    assert isinstance(OPEN.read(TaskText(QUBIT)), Reading)
    reply: Any = OPEN.read(TaskText(f"{QUBIT} {more}"))
    assert isinstance(reply, Question), reply
    assert "rates" in reply.text


def test_a_register_of_many_qubits_is_asked_for_its_rates_as_well() -> None:
    reply = OPEN.read(
        TaskText(
            "Use QuTiP. A chain of 6 spins with H = -sum Z_i Z_{i+1} - 0.5 sum X_i starts in all up; record the "
            "magnetisation <Z> from t = 0 to t = 5 with 51 points. The lifetime of a spin is finite."
        )
    )
    assert isinstance(reply, Question)
    assert "rates" in reply.text


def test_a_closed_system_asks_for_no_rates() -> None:
    reply: Any = OPEN.read(TaskText(f"{QUBIT} The system is closed: no decay, without dephasing."))
    assert isinstance(reply, Reading)
    assert reply.spec.cases[0].collapse == []  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    "more",
    [
        "Use the same parameters as last time.",
        "Format it like last week's table.",
        "Take the axes from the previous plot.",
        "Keep our usual settings.",
        "The coupling is the same as in my earlier report.",
    ],
)
def test_what_stands_elsewhere_is_asked_for(more: str) -> None:
    for reader, text in ((OPEN, QUBIT), (CHEMISTRY, MOLECULE)):
        reply = reader.read(TaskText(f"{text} {more}"))
        assert isinstance(reply, Question), reply
        assert "not in it" in reply.text
        answered = reference_elsewhere(f"{text} {more}\n\n## Clarifications\n- {reply.text} none, as written\n")
        assert answered is None


@pytest.mark.parametrize(
    "text",
    [
        "Plot the population. Use the colours of the previous plot for the phase.",
        "Simulate g = 1. Repeat the previous simulation with g = 2.",
        "In the usual basis, record Z.",
        "The last time point is t = 10.",
        "It gets colder than last year.",
    ],
)
def test_what_stands_in_the_text_is_not_asked_for(text: str) -> None:
    assert reference_elsewhere(text) is None
