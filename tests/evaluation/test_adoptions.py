"""How a model's card of a foreign measurement is judged."""

from __future__ import annotations

from pathlib import Path

import pytest

from labwright.agents.call import Question, Refusal
from labwright.agents.lab_calibration.adopt_card import AdoptOut
from labwright.evaluation.adoptions import CASES, Case, cases, verdict

EVERY = {case.name: case for case in cases({"tasks": ()})}
SIGNED = EVERY["RamseyXY"]


def judged(case: Case, card: str, folder: Path) -> tuple[str, str]:
    return verdict(case, AdoptOut(reason="", card=card), folder)


def author(case: Case) -> str:
    return (CASES / case.card).read_text(encoding="utf-8")


def test_the_authors_card_under_another_name_is_right(tmp_path: Path) -> None:
    case = EVERY["RelaxationT1"]
    assert judged(case, author(case).replace("name: leeq_relaxation", "name: other"), tmp_path) == ("done", "right")


def test_a_wrong_unit_is_not_right(tmp_path: Path) -> None:
    case = EVERY["hahn_echo_do1d"]
    card = author(case)
    wrong = card.replace("unit: us, in: s, smallest: 0.5", "unit: us, in: ms, smallest: 0.5")
    assert wrong != card
    assert judged(case, wrong, tmp_path)[1] != "right"


@pytest.mark.parametrize(("turned", "right"), [("phase", True), ("-phase", False)])
def test_a_wrong_sign_is_seen_where_a_card_takes_the_result(turned: str, right: bool, tmp_path: Path) -> None:
    off = "  off: {from: self.result.detuning, unit: MHz, in: Hz, smallest: -10.0, largest: 10.0}"
    card = f"{author(SIGNED).rstrip()}\n{off}\nlargest_error: 0.9\n".replace("turned: phase", f"turned: {turned}")
    expected = "right" if right else "differs in self.result.detuning"
    assert judged(SIGNED, card, tmp_path) == ("done", expected)


def test_what_is_asked_or_refused_is_right_only_where_that_is_expected(tmp_path: Path) -> None:
    asks, refuses = Question(text="Which unit?"), Refusal(reason="It needs a VNA.")
    bad = Case("x", "plain_measurements.py", ("ask",))
    assert verdict(bad, asks, tmp_path) == ("asked", "right")
    assert verdict(bad, refuses, tmp_path)[1] == "refuses: It needs a VNA."
    assert verdict(SIGNED, asks, tmp_path) == ("asked", "asks: Which unit?")
    assert judged(bad, author(EVERY["rabi_amplitude_scan"]), tmp_path) == ("done", "A card where none can be right.")


def test_every_case_names_what_is_there() -> None:
    for case in EVERY.values():
        assert (CASES / case.file).is_file()
        assert ("answer" in case.expect) == bool(case.card)
