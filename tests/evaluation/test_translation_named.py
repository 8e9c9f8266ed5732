"""Instructions that use the names of experiments and parameters are understood, whatever the values."""

from __future__ import annotations

import pytest

from labwright.agents.lab_calibration.translate import Library, Situation
from labwright.agents.models import make_mind
from labwright.evaluation.translation import RIGHT, shipped_library, translated, verdict
from labwright.evaluation.translation_methods import METHODS, OURS, QUBITS
from labwright.evaluation.translation_named import FORMS, drawn
from labwright.tools.experiments import registry


@pytest.fixture(scope="module")
def library() -> Library:
    return shipped_library(make_mind("rules"))


@pytest.mark.parametrize("name", registry.experiments())
def test_an_experiment_asked_for_by_its_names_is_called_as_it_was_said(name: str, library: Library) -> None:
    mind, method, seen = make_mind("rules"), METHODS[OURS](), set()
    for form, case in drawn(library.cards[name], 2):
        if form in FORMS[:2]:
            got = translated(method, mind, case, library, Situation({}, QUBITS))
            assert verdict(case, got, library.cards) == RIGHT, case.instruction
            seen.add(form)
    assert len(seen) == 2
