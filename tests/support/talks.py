"""Conversations for tests: fast requests, what a scripted model decides, and a person who answers."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from labwright.graphs.front_desk.conversation import Conversation, Turn, open_conversation
from labwright.graphs.front_desk.permissions import Terms
from labwright.graphs.front_desk.workers import WORKERS
from labwright.graphs.questions import Answer

DILUTION = """---
system: protocol_design
title: Caffeine in water
outputs: []
chemicals: [{name: caffeine}, {name: water}]
stocks:
  - {name: 10 mM caffeine, solute: caffeine, solvent: water, concentration: 10 mM, basis: M}
groups:
  - factors: [{name: level, levels: [0.1 mM, 0.2 mM]}]
    doses:
      - {substance: caffeine, kind: molarity, factor: level, via: 10 mM caffeine}
      - {substance: water, kind: remainder}
    total_volume: 1 mL
---
Prepare standards of caffeine in water with 0.1 and 0.2 mM caffeine from a 10 mM stock of caffeine in water. The total
volume of each is 1 mL."""


def decided(*actions: dict[str, Any]) -> dict[str, Any]:
    """What the desk's agent answers: these actions, with the fields that they leave out."""
    return {"actions": [{**_BLANK[action["kind"]], **action} for action in actions], "reason": ""}


_BLANK: dict[str, dict[str, Any]] = {
    "start": {"text": "", "file": "", "inputs": [], "uses": [], "after": False},
    "run": {"changes": [], "uses": []},
    "again": {"changes": [], "words": ""},
    "steer": {"runs": []},
    "show": {"runs": [], "stage": 0},
    "answer": {"run": "", "option": ""},
    "remember": {"value": ""},
    "consent": {"approval": "", "budget": ""},
    "say": {},
}


@contextmanager
def talk(conversation: str = "", **terms: Any) -> Iterator[Conversation]:
    """A conversation without figures."""
    chosen = Terms.model_validate({"figures": False, **terms})
    with open_conversation(chosen, conversation=conversation) as opened:
        yield opened


def settled(conversation: Conversation, turn: Turn, *decisions: str) -> Turn:
    """Wait for what runs, and answer what is asked, until neither is left or the decisions are used up."""
    left, said = list(decisions), list(turn.replies)
    while True:
        if turn.question is not None:
            if not left:
                break
            turn = conversation.answer(Answer(id=turn.question.id, decision=left.pop(0)))
        else:
            assert WORKERS.wait(600)
            turn = conversation.look()
            if turn.question is None and not turn.replies:
                break
        said += turn.replies
    return Turn(said, turn.question, turn.run_id)


def words(turn: Turn) -> str:
    """Everything that was said."""
    return "\n".join(reply["text"] for reply in turn.replies)
