"""Instructions that use the names of experiments and parameters are understood, whatever the values."""

from __future__ import annotations

from pathlib import Path

import pytest

from labwright.agents.lab_calibration.translate import Library, Situation
from labwright.agents.models import make_mind
from labwright.evaluation.translation import RIGHT, shipped_library, translated, verdict
from labwright.evaluation.translation_cases import Case
from labwright.evaluation.translation_methods import METHODS, OURS, QUBITS
from labwright.evaluation.translation_named import FORMS, drawn
from labwright.tools.experiments import registry
from labwright.tools.experiments.call import ExperimentCall


@pytest.fixture(scope="module")
def library() -> Library:
    return shipped_library(make_mind("rules"))


PAGE = (Path(__file__).parents[2] / "docs" / "experiments.md").read_text(encoding="utf-8")


def test_the_examples_of_the_page_are_understood(library: Library) -> None:
    calls = {
        "t1": {"qubit": "Q1", "points": 41, "stop": 300.0},
        "ramsey": {"qubit": "Q2", "offset": 5.0, "stop": 2.0},
        "two_qubit_rb": {"qubit": "Q1", "partner": "Q8", "shots": 2000},
    }
    lines = PAGE.partition("```text\n")[2].partition("```")[0].splitlines()
    for words, (name, arguments) in zip(lines, calls.items(), strict=True):
        case = Case(words, "call", (ExperimentCall(name, arguments),))
        got = translated(METHODS[OURS](), make_mind("rules"), case, library, Situation({}, QUBITS))
        assert verdict(case, got, library.cards) == RIGHT, words


@pytest.mark.parametrize("name", registry.experiments())
def test_an_experiment_asked_for_by_its_names_is_called_as_it_was_said(name: str, library: Library) -> None:
    mind, method, seen = make_mind("rules"), METHODS[OURS](), set()
    for form, case in drawn(library.cards[name], 2):
        if form in FORMS[:2]:
            got = translated(method, mind, case, library, Situation({}, QUBITS))
            assert verdict(case, got, library.cards) == RIGHT, case.instruction
            seen.add(form)
    assert len(seen) == 2
