"""docs/experiments.md: every experiment is in its tables once, as its card says, with a test that runs it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from labwright.tools.experiments.registry import card, experiments

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs" / "experiments.md").read_text(encoding="utf-8")
ROWS = re.findall(r"^\| `(\w+)`(?:, an agent)? \| ([^|]*) \| ([^|]+) \| `([\w/]+\.py)` \|$", PAGE, re.MULTILINE)


def test_every_experiment_is_there_once_with_what_its_card_says() -> None:
    said = {name: what for name, _, what, _ in ROWS}
    assert len(said) == len(ROWS)
    for name, kind in experiments().items():
        assert said[name] in card(kind).summary, name


def test_each_of_the_seventeen_of_the_paper_has_a_counterpart() -> None:
    theirs = [paper for _, paper, _, _ in ROWS if paper.strip()]  # two of the paper's agents are one of ours
    assert len(set(theirs)) == len(theirs) == 16


@pytest.mark.parametrize(("name", "test"), [(name, test) for name, _, _, test in ROWS if name in experiments()])
def test_the_test_that_is_named_speaks_of_the_experiment(name: str, test: str) -> None:
    text = (ROOT / "tests" / test).read_text(encoding="utf-8")
    assert name in text or experiments()[name].__name__ in text, f"{test} does not run {name}"


def test_causes_and_written_settings_are_those_of_the_classes() -> None:
    listed = {name: cells for name, *cells in re.findall(r"^\| `(\w+)` \| (`[^|]*) \| ([^|]*) \|$", PAGE, re.MULTILINE)}
    meanings = dict(re.findall(r"^\| `(\w+)` \| ([^|]*) \|$", PAGE, re.MULTILINE))
    for name, kind in experiments().items():
        causes, writes = (re.findall(r"`(\w+)`", cell) for cell in listed[name])
        assert (causes, tuple(writes)) == (list(kind.causes), kind.writes)
        assert {cause: meanings.get(cause) for cause in card(kind).causes} == card(kind).causes


def test_needs_are_those_of_the_classes() -> None:
    section = PAGE.partition("## What each of them needs")[2].partition("\n## ")[0]
    listed = dict(re.findall(r"^\| `(\w+)` \| ([^|]*) \|$", section, re.MULTILINE))
    assert listed == {name: "; ".join(map(str, kind.needs)) or "nothing" for name, kind in experiments().items()}


def test_every_parameter_is_listed_with_default_and_unit() -> None:
    listed = dict(re.findall(r"^\| `(\w+)` \| (`\w+`[^|]*) \|$", PAGE, re.MULTILINE))
    for name, kind in experiments().items():
        said = [one.strip() for one in listed[name].split(";")]
        cards = card(kind).parameters
        assert [re.match(r"`(\w+)`", one)[1] for one in said] == [one.name for one in cards]  # type: ignore[index]
        for one, parameter in zip(said, cards, strict=True):
            unit = "" if parameter.unit == "full scale" else parameter.unit
            assert unit in one, (name, one)
            for number in (parameter.default, parameter.minimum, parameter.maximum):
                if isinstance(number, int | float) and not isinstance(number, bool) and not parameter.required:
                    assert f"{number:g}" in one, (name, one)
