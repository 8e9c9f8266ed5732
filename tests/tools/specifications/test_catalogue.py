"""What may be named, how it is told to a reader, the examples, and the closed vocabularies."""

from __future__ import annotations

import pytest
from plan_labs import catalogue, lab

from labwright.tools.errors import InputError
from labwright.tools.experiments.call import PROCEDURE
from labwright.tools.specifications.answer_vocabulary import chosen, words
from labwright.tools.specifications.card_text import compact, one_line
from labwright.tools.specifications.catalogue import MOST_ALIASES, aliases, places, roles, spoken
from labwright.tools.specifications.examples import KINDS, example
from labwright.tools.specifications.plan_completion import complete
from labwright.tools.specifications.yaml_files import read_document

NAMES = sorted(catalogue().cards)


@pytest.mark.parametrize("name", NAMES)
def test_every_card_is_found_by_its_names_and_told_shortly(name: str) -> None:
    card = catalogue().cards[name]
    assert catalogue().named(spoken(name)) == name
    assert catalogue().named(f"  {spoken(name).upper()} ") == name
    assert len(aliases(card)) <= MOST_ALIASES + 2
    assert "\n" not in one_line(card)
    assert len(compact(card)) < 3000
    assert (places(card) is None) == (roles(card) == ["qubits"])
    experiment, procedure = ("", spoken(name)) if name.startswith(PROCEDURE) else (name, "")
    assert catalogue().card(experiment, procedure) == card


def test_a_name_that_two_cards_share_means_neither() -> None:
    shared = catalogue().cards["t1"]
    both = type(catalogue())({"a": shared, "b": shared}, {})
    assert "relaxation" not in both.names
    assert catalogue().named("no such thing") == ""
    assert catalogue().nearest("rabbi") == "rabi"
    assert catalogue().nearest("xyzzy") == ""


@pytest.mark.parametrize("kind", ["calibration", "chip", "maintain"])
def test_every_shipped_plan_completes_without_problems(kind: str) -> None:
    text = example("calibration", kind)
    assert complete(read_document(text, kind).data, lab(decides=False)).problems == []
    assert text.startswith("# yaml-language-server: $schema=")


@pytest.mark.parametrize(("system", "kind"), [(system, kind) for system, kinds in KINDS.items() for kind in kinds])
def test_every_shipped_example_is_read(system: str, kind: str) -> None:
    text = example(system, kind)
    assert kind == "procedure" or read_document(text, kind).data  # a procedure is prose


def test_an_example_that_is_not_there() -> None:
    with pytest.raises(InputError, match=r"There is no example 'nope'\. There are: calibration"):
        example("nope")


OPTIONS = [("run", "Run it"), ("edit", "Edit it"), ("cancel", "Cancel")]


@pytest.mark.parametrize(
    ("said", "value"),
    [
        ("run", "run"),
        (" Run it. ", "run"),
        ("YES", "run"),
        ("do  it", "run"),
        ("ok!", "run"),
        ("n", "cancel"),
        ("abort", "cancel"),
        ("edit", "edit"),
        ("run edit", ""),
        ("yes please", ""),
        ("", ""),
        ("stop", ""),
    ],
)
def test_whole_answers_only(said: str, value: str) -> None:
    assert chosen(said, OPTIONS) == value


def test_a_word_for_two_options_means_neither() -> None:
    assert chosen("yes", [("run", "a"), ("go", "b")]) == ""
    assert chosen("a", [("x", "a"), ("y", "a")]) == ""
    assert not words("yes") & words("no")
