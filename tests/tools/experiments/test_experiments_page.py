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
    theirs = [paper for _, paper, _, _ in ROWS if paper.strip()]
    assert len(set(theirs)) == len(theirs) == 17


@pytest.mark.parametrize(("name", "test"), [(name, test) for name, _, _, test in ROWS if name in experiments()])
def test_the_test_that_is_named_speaks_of_the_experiment(name: str, test: str) -> None:
    text = (ROOT / "tests" / test).read_text(encoding="utf-8")
    assert name in text or experiments()[name].__name__ in text, f"{test} does not run {name}"
