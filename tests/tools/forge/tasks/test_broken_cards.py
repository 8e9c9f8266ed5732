"""Broken cards of every kind are refused with field, cause and cure, or read back as the same card; none crashes."""

from __future__ import annotations

import random
import re
from pathlib import Path
from typing import Any

import pytest
from broken_cards import broken

from labwright.tools.forge.tasks import family
from labwright.tools.specifications.base import SpecificationError
from labwright.tools.specifications.examples import example
from labwright.tools.specifications.task import FREE, Card, read_card, task_kinds
from labwright.tools.specifications.yaml_files import read_document, to_yaml

PAGE = Path(__file__).resolve().parents[4] / "docs" / "task-cards-dynamics.md"
EACH = 10  # of a kind; 100 where slow tests run


def right_cards() -> dict[str, list[dict[str, Any]]]:
    """The example of every kind, and those of the page on dynamics, as plain data."""
    texts = [example("task", kind) for kind in task_kinds() if kind != FREE]
    texts += re.findall(r"```yaml\n(.*?)```", PAGE.read_text("utf-8"), re.S)
    found: dict[str, list[dict[str, Any]]] = {}
    for text in texts:
        card = read_document(text).data
        found.setdefault(card["task"], []).append(card)
    return found


RIGHT = right_cards()


def said(card: Card) -> dict[str, Any]:
    """What a card says, as plain data."""
    return card.model_dump(mode="json", by_alias=True, exclude_unset=True)


def accepted(data: dict[str, Any]) -> bool:
    """Whether a card is read; what is refused says field, cause and cure."""
    try:
        card = read_card(to_yaml(data))
        assert card is not None
        made, kind = card.compiled(), family(card.task)
        for script in kind.scripts(made, {name: f"tools.{name}" for name in kind.tools(made)}):
            compile(script.source, "script", "exec")
    except SpecificationError as wrong:
        bare = [one for one in wrong.problems if not one.message or not (one.fix or ". " in one.message)]
    else:
        again = read_card(to_yaml(said(card)))
        assert again is not None
        assert said(again) == said(card), data
        return True
    assert bare == [], data
    return False


@pytest.mark.filterwarnings("ignore")  # NaN and overflow are what is looked for
@pytest.mark.parametrize("number", [EACH, pytest.param(10 * EACH, marks=pytest.mark.slow)])
@pytest.mark.parametrize("task", RIGHT)
def test_a_broken_card_is_refused_with_a_cure_or_read_back(task: str, number: int) -> None:
    draw, cards = random.Random(f"{task} {number}"), RIGHT[task]
    read = [accepted(broken(cards[one % len(cards)], draw)) for one in range(number)]
    assert sum(read) < number
    assert all(accepted(card) for card in cards)
