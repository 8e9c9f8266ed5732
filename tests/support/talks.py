"""Conversations for tests: fast requests, the roles that a scripted model plays, and a person who answers."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from labwright.agents.call import AgentCall
from labwright.agents.front_desk.given import KnownRun, RouteIn, Settled
from labwright.agents.front_desk.route_request import ROUTE
from labwright.agents.front_desk.tell_runs import TELL
from labwright.graphs.front_desk.conversation import Conversation, Turn, open_conversation
from labwright.graphs.front_desk.terms import Terms
from labwright.graphs.front_desk.workers import WORKERS
from labwright.graphs.questions import Answer

DESK_ROLES: tuple[AgentCall[Any, Any], ...] = (ROUTE, TELL)
DILUTION = """---
system: protocol_design
title: Caffeine in water
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
TODAY = "2026-03-12"


def given(message: str, runs: list[KnownRun] | None = None, settled: list[tuple[str, str]] | None = None) -> RouteIn:
    """What the routing agent gets, with nothing said before."""
    answers = [Settled(question=question, answer=answer) for question, answer in settled or []]
    return RouteIn(message=message, settled=answers, talk=[], runs=runs or [], remembered=[], today=TODAY)


def run_of(system: str, asked: str, subject: list[str], *, started: str = f"{TODAY} 09:00") -> KnownRun:
    """A finished run, as the desk lists it."""
    run_id = (
        f"{started.replace('-', '').replace(' ', '-').replace(':', '')}00-{zlib.crc32(asked.encode()) % 9999:04d}-x"
    )
    return KnownRun(run_id=run_id, system=system, asked=asked, status="complete", started=started, subject=subject)


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
            assert WORKERS.wait(120)
            turn = conversation.look()
            if turn.question is None and not turn.replies:
                break
        said += turn.replies
    return Turn(said, turn.question, turn.run_id)


def words(turn: Turn) -> str:
    """Everything that was said."""
    return "\n".join(reply["text"] for reply in turn.replies)
