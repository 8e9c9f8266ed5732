"""Suite `offers`: 200 free sentences of others without a model: none may start anything, the right system is offered.

They were written for the systems by people who saw none of this: requests to a lab, tasks, experiments in vials. The
short form is left out, because it does start something. No text was written for a search, so none is asked for one.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from labwright.evaluation.desk import in_conversation
from labwright.evaluation.runner import Context, Options, Row, Suite
from labwright.graphs.front_desk.catalogue import catalogue, offers
from labwright.tools.plain_yaml import read_yaml
from labwright.tools.specifications import short_form_parser

CASES = Path(__file__).parent / "cases"
MOST = 200
GUESTS = (
    "guest",
    "newcomer",
    "visitor",
    "professor",
    "operator",
    "non-native",
)  # voices of the lines for single stages


@dataclass(frozen=True, slots=True)
class Case:
    """A sentence, and the system that it is for."""

    name: str
    say: str
    system: str
    seed: int = 0


def sentences(options: Options) -> list[Case]:
    """The first 200 that are not in the short form; ``first`` takes fewer, evenly."""
    known = catalogue("")
    found = [
        Case(f"{number:03d}", say, system) for number, (say, system) in enumerate(_said()) if not _read(say, known)
    ]
    found = found[:MOST]
    step = max(1, len(found) // options["first"]) if options["first"] else 1
    return found[::step][: options["first"] or None]


def _said() -> Iterator[tuple[str, str]]:
    for path in sorted(CASES.glob("plans/*.yaml")):
        yield from ((each["words"], "lab_calibration") for each in read_yaml(path.read_text(encoding="utf-8")))
    for path in sorted(CASES.glob("protocols/strangers_*/*.txt")):
        yield path.read_text(encoding="utf-8"), "protocol_design"
    for folder in ("strangers", "texts", "texts2"):
        for path in sorted(CASES.glob(f"forge/{folder}/*/question.md")):
            yield path.read_text(encoding="utf-8"), "tool_forging"
    for path in sorted(CASES.glob("translation/sealed*.jsonl")):
        lines = map(json.loads, path.read_text(encoding="utf-8").splitlines())
        yield from ((each["instruction"], "lab_calibration") for each in lines if each.get("voice") in GUESTS)


def _read(say: str, known: Any) -> bool:
    try:
        short_form_parser.read(say, known)
    except short_form_parser.NotRead:
        return False
    return True


def one_sentence(case: Case, context: Context) -> Row:
    """Whether it starts anything, and which systems are offered."""
    with in_conversation(context) as talk:
        turn = talk.say(case.say)
        started = list(talk.runs)
    offered = [entry.system for entry in offers("").nearest(case.say)]
    reply = turn.replies[0]["text"] if turn.replies else ""
    good = not started and case.system in offered and "Without a model" in reply
    return {
        "say": case.say[:200],
        "system": case.system,
        "offered": offered,
        "started": started,
        "passed": good,
        "faults": "started" if started else "" if good else f"offered {', '.join(offered) or 'nothing'}",
    }


def summarise(rows: list[Row], context: Context) -> dict[str, Any]:
    """Counts: started, the right system among those offered, and first."""
    return {
        "started": sum(bool(row["started"]) for row in rows),
        "among_three": sum(row["system"] in row["offered"] for row in rows),
        "first": sum(row["offered"][:1] == [row["system"]] for row in rows),
    }


SUITE = Suite(
    name="offers",
    doc="200 free sentences of others without a model: nothing starts, the right system is offered",
    cases=sentences,
    run=one_sentence,
    options={"mind": "rules", "first": 0},
    summarise=summarise,
    columns=("case", "system", "offered", "faults"),
    chooses=("first",),
)
