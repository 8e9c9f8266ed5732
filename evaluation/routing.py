"""Suite `routing`: messages to the front desk, each to become one right request, a reply, or a question.

The cases were written before the policy and lie in two halves with different voices. The development half may be
looked at while the policy is improved; the sealed half may not, and is run to report.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import yaml

from labwright.agents.call import Mind, Question, Refusal
from labwright.agents.front_desk.given import KnownRun, RouteIn
from labwright.agents.front_desk.route_request import ROUTE
from labwright.agents.front_desk.wishes import Routed
from labwright.agents.models import make_mind
from labwright.agents.rules import RulesMind
from labwright.evaluation.scoring import wilson

CASES = Path(__file__).parent / "cases" / "routing"
Split = Literal["dev", "sealed"]
ASK = "ask"


@dataclass(frozen=True, slots=True)
class Case:
    """One message and what it should become.

    Attributes:
        say: the message.
        runs: names of the earlier runs that are known.
        expect: ``kind`` (of a wish, or ``ask``), and every field that must be right.
    """

    say: str
    expect: dict[str, Any]
    runs: tuple[str, ...] = ()


def load_cases(split: Split) -> list[Case]:
    """The cases of one half."""
    listed = yaml.safe_load((CASES / f"{split}.yaml").read_text(encoding="utf-8"))
    return [Case(one["say"], one["expect"], tuple(one.get("runs", ()))) for one in listed]


def known_runs() -> tuple[dict[str, KnownRun], str]:
    """Name -> run that cases refer to, and the day on which they are said."""
    plain = yaml.safe_load((CASES / "runs.yaml").read_text(encoding="utf-8"))
    return {name: KnownRun.model_validate(run) for name, run in plain["runs"].items()}, plain["today"]


def routed(mind: Mind, case: Case) -> Routed | Question | Refusal:
    """One call, outside any graph."""
    runs, today = known_runs()
    chosen = sorted((runs[name] for name in case.runs), key=lambda run: run.started)
    given = RouteIn(message=case.say, settled=[], talk=[], runs=chosen, remembered=[], today=today)
    return mind.answer(ROUTE, given)


def verdict(case: Case, got: Routed | Question | Refusal) -> str:
    """``right``, or how it is wrong."""
    kind = case.expect["kind"]
    if not isinstance(got, Routed):
        given = ASK if isinstance(got, Question) else "refuse"
        return "right" if kind == given else f"{kind} expected, {given} given"
    if got.wish.kind != kind:
        return f"{kind} expected, {got.wish.kind} given"
    names = {run.run_id: name for name, run in known_runs()[0].items()}
    plain = got.wish.model_dump()
    wrong = [field for field, value in case.expect.items() if field != "kind" and _shown(plain, field, names) != value]
    return f"wrong: {', '.join(f'{field} is {_shown(plain, field, names)!r}' for field in wrong)}" if wrong else "right"


def _shown(plain: dict[str, Any], field: str, names: dict[str, str]) -> Any:
    """A field as cases write it: runs by their names."""
    value = plain.get(field)
    if field == "uses":
        return [[names.get(use["run_id"], use["run_id"]), use["part"]] for use in value or []]
    return [names.get(run, run) for run in value or []] if field == "runs" else value


def run(
    split: Split | None = None, mind: str | Mind | None = None, on_progress: Callable[[str], None] | None = None
) -> dict[str, Any]:
    """Messages to the front desk: {suite, mind, n, score, interval, by_kind, by_half, asked, seconds, rows}.

    Args:
        split: one half; None for both.
        mind: who routes; rules if None.
        on_progress: hears one line a message that was routed wrong.
    """
    answering = make_mind(mind) if isinstance(mind, str) else mind or RulesMind()
    began, rows = time.perf_counter(), []
    halves: tuple[Split, ...] = (split,) if split else ("dev", "sealed")
    for half in halves:
        for case in load_cases(half):
            got = routed(answering, case)
            said = verdict(case, got)
            kind = got.wish.kind if isinstance(got, Routed) else ASK if isinstance(got, Question) else "refuse"
            rows.append(
                {
                    "half": half,
                    "say": case.say,
                    "expected": case.expect["kind"],
                    "got": kind,
                    "verdict": said,
                    "passed": said == "right",
                }
            )
            if on_progress is not None and said != "right":
                on_progress(f"{case.say}: {said}")
    passed = sum(bool(row["passed"]) for row in rows)
    return {
        "suite": "routing",
        "mind": answering.name,
        "n": len(rows),
        "score": passed / len(rows),
        "interval": wilson(passed, len(rows)),
        "by_half": _by(rows, lambda row: str(row["half"])),
        "by_kind": _by(rows, lambda row: str(row["expected"])),
        "asked": _by([row for row in rows if row["expected"] == ASK], lambda row: str(row["half"])),
        "needless_questions": sum(row["got"] == ASK != row["expected"] for row in rows),
        "columns": ("half", "say", "expected", "got", "verdict"),
        "seconds": round(time.perf_counter() - began, 3),
        "rows": rows,
    }


def _by(rows: list[dict[str, Any]], key: Callable[[dict[str, Any]], str]) -> dict[str, list[int]]:
    """Key -> [passed, of]."""
    table: dict[str, list[int]] = {}
    for row in rows:
        entry = table.setdefault(key(row), [0, 0])
        entry[0] += bool(row["passed"])
        entry[1] += 1
    return table
