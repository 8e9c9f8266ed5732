"""The words around a task: ways of asking as data, slips of the pen, several tasks in a sentence, foreign things."""

import tomllib

import pytest

from labwright.agents.lab_calibration.qubit_names import qubits_in
from labwright.agents.lab_calibration.recognize import meant
from labwright.agents.lab_calibration.several import parted
from labwright.agents.lab_calibration.spelling import spelled
from labwright.agents.lab_calibration.switches import switches
from labwright.agents.lab_calibration.translate_code import CodeIn, translate_code_by_rules
from labwright.tools.experiments import registry
from labwright.tools.experiments.stated import stated
from labwright.tools.experiments.wording import FILE, descriptions, names, wording
from labwright.tools.knowledge.procedures import load_procedures
from labwright.tools.knowledge.quantities import mentions

QUBITS = ["Q1", "Q2", "Q8"]
CARDS = {name: registry.card(kind) for name, kind in registry.experiments().items()}


def test_every_shipped_experiment_and_procedure_has_ways_of_asking() -> None:
    shipped = set(CARDS) | {f"procedure:{slug}" for slug in load_procedures()}
    assert shipped == set(names())
    assert all(wording(name).asked and descriptions(name) for name in shipped)


def test_words_of_parameters_belong_to_parameters_that_exist() -> None:
    entries = tomllib.loads(FILE.read_text(encoding="utf-8"))
    for name, card in CARDS.items():
        known = {parameter.name for parameter in card.parameters}
        assert set(entries[name].get("parameters", {})) <= known, name


@pytest.mark.parametrize(
    ("written", "meant"),
    [("resonatr", "resonator"), ("calibratoin", "calibration"), ("flywheel", "flywheel"), ("t1", "t1")],
)
def test_a_slip_of_the_pen_is_mended_and_a_strange_word_is_not(written: str, meant: str) -> None:
    assert spelled(written) == meant


@pytest.mark.parametrize(
    ("text", "value", "unit"),
    [
        ("two thousand five hundred shots", 2500.0, ""),
        ("zero point two five", 0.25, ""),
        ("four hundred and fifty nanoseconds", 450.0, "ns"),
        ("minus one", -1.0, ""),
        ("-40 dBFS", 0.01, ""),
        ("10 000", 10000.0, ""),
        ("5_000", 5000.0, ""),
    ],
)
def test_numbers_in_words(text: str, value: float, unit: str) -> None:
    (found,) = mentions(text)
    assert (found.value, found.unit) == (value, unit)


@pytest.mark.parametrize(
    ("text", "qubits", "numbers"),
    [
        ("T1 of qubit two up to 300 us", ["Q2"], ["300 us"]),
        ("qubits 1 and 8", ["Q1", "Q8"], []),
        ("residual ZZ of Q8-Q1", ["Q8", "Q1"], []),
        ("the 1-2 transition of Q8", ["Q8"], []),
        ("T1 of Q1, averaged 6000 times", ["Q1"], ["6000"]),
    ],
)
def test_names_of_qubits_are_no_settings(text: str, qubits: list[str], numbers: list[str]) -> None:
    assert qubits_in(text, QUBITS) == qubits
    assert [mention.text.strip() for mention in stated(text)] == numbers


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("T1 on Q1 and a Hahn echo on Q2", ["T1 on Q1", "a Hahn echo on Q2"]),
        ("Q2: Ramsey, then DRAG", ["Q2, Ramsey", "DRAG on Q2"]),
        ("Measure T1 of Q1 and Q2", ["Measure T1 of Q1 and Q2"]),
        (
            "Ramsey on Q1 with an offset of 1 MHz and 3000 shots",
            ["Ramsey on Q1 with an offset of 1 MHz and 3000 shots"],
        ),
    ],
)
def test_a_sentence_is_cut_where_each_part_names_a_task(text: str, parts: list[str]) -> None:
    assert parted(text, QUBITS) == parts


@pytest.mark.parametrize(
    ("text", "update"),
    [
        ("Ramsey on Q1, settings unchanged", "False"),
        ("Ramsey on Q1 but don't store the result", "False"),
        ("Ramsey on Q1 | write-back: NO", "False"),
        ("Ramsey on Q1", None),
    ],
)
def test_whether_settings_are_written(text: str, update: str | None) -> None:
    assert switches(text, CARDS["ramsey"])[0].get("update") == update


@pytest.mark.parametrize(
    "text",
    [
        "Measure the T1 of the flywheel of Q1",
        "Email me the T1 of Q1",
        "Measure the linewidth of the readout resonator of Q1",
        "What does T1 mean?",
    ],
)
def test_what_is_no_measurement_here_gets_no_call(text: str) -> None:
    for card in CARDS.values():
        given = CodeIn(instruction=text, card=card, variables={}, qubits=QUBITS)
        assert translate_code_by_rules(given).code == ""


def test_the_control_is_who_is_called_so() -> None:
    text = "Hamiltonian tomography with target Q1 and control Q2"
    given = CodeIn(instruction=text, card=CARDS["hamiltonian_tomography"], variables={}, qubits=QUBITS)
    assert translate_code_by_rules(given).code == "hamiltonian_tomography(qubit='Q2', partner='Q1')"


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("flip the qubit, wait, and watch its population fall back to the ground state", "t1"),
        (
            "with the pulses' frequency and amplitude right, weigh the derivative on the other quadrature",
            "drag_calibration",
        ),
        ("random two-qubit sequences with one more CZ behind each Clifford, and without", "interleaved_rb_cz"),
    ],
)
def test_an_experiment_is_known_by_its_description(text: str, name: str) -> None:
    told = meant(text, QUBITS)
    assert (told.name, told.sure) == (name, True)


def test_a_text_about_something_else_is_not_recognized() -> None:
    assert not meant("order four litres of milk for the kitchen", QUBITS).sure
