"""Suite `routing`: messages to the front desk, each to become one right request, a reply, or a question.

The cases were written before the policy and lie in two halves with different voices. The development half may be
looked at while the policy is improved; the sealed half may not, and is run to report.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any, Literal

from labwright.agents.call import Question, Refusal
from labwright.agents.front_desk.given import KnownRun, RouteIn
from labwright.agents.front_desk.route_request import ROUTE
from labwright.agents.front_desk.wishes import Routed
from labwright.evaluation.language import RIGHT, Given, judged
from labwright.evaluation.runner import Context, Options, Row, Suite
from labwright.tools.plain_yaml import read_yaml

CASES = Path(__file__).parent / "cases" / "routing"
Split = Literal["dev", "sealed"]
ASK, REFUSE = "ask", "refuse"
GIVEN: dict[str, Given] = {ASK: "asked", REFUSE: "refused"}


@dataclass(frozen=True, slots=True)
class Case:
    """One message and what it should become.

    Attributes:
        name: half and number.
        say: the message.
        expect: ``kind`` (of a wish, or ``ask``), and every field that must be right.
        runs: names of the earlier runs that are known.
        seed: number of the draw.
    """

    name: str
    say: str
    expect: dict[str, Any]
    runs: tuple[str, ...] = ()
    seed: int = 0


def load_cases(split: Split) -> list[Case]:
    """The cases of one half."""
    listed = read_yaml((CASES / f"{split}.yaml").read_text(encoding="utf-8"))
    return [
        Case(f"{split} {number:02d}", one["say"], one["expect"], tuple(one.get("runs", ())))
        for number, one in enumerate(listed, 1)
    ]


def cases_of(options: Options) -> list[Case]:
    """One half, or both, drawn `seeds` times."""
    halves: tuple[Split, ...] = (options["split"],) if options["split"] else ("dev", "sealed")
    cases = [case for half in halves for case in load_cases(half)]
    return [replace(case, seed=seed) for seed in range(options["seeds"]) for case in cases]


@cache
def known_runs() -> tuple[dict[str, KnownRun], str]:
    """Name -> run that cases refer to, and the day on which they are said."""
    plain = read_yaml((CASES / "runs.yaml").read_text(encoding="utf-8"))
    return {name: KnownRun.model_validate(run) for name, run in plain["runs"].items()}, plain["today"]


def route(case: Case, context: Context) -> Row:
    """One call, outside any graph."""
    runs, today = known_runs()
    chosen = sorted((runs[name] for name in case.runs), key=lambda run: run.started)
    given = RouteIn(message=case.say, settled=[], talk=[], runs=chosen, remembered=[], today=today)

    got, row = judged(
        context.mind, ROUTE, given, lambda reply: (GIVEN.get(kind_of(reply), "done"), verdict(case, reply)), case.seed
    )
    head = {"half": case.name.split()[0], "say": case.say, "expected": case.expect["kind"], "got": kind_of(got)}
    return {**head, **row}


def kind_of(got: Routed | Question | Refusal) -> str:
    """Kind of the wish, or how there is none."""
    return got.wish.kind if isinstance(got, Routed) else ASK if isinstance(got, Question) else REFUSE


def verdict(case: Case, got: Routed | Question | Refusal) -> str:
    """``right``, or how it is wrong."""
    kind = case.expect["kind"]
    if kind != kind_of(got):
        return f"{kind} expected, {kind_of(got)} given"
    if not isinstance(got, Routed):
        return RIGHT
    names = {run.run_id: name for name, run in known_runs()[0].items()}
    plain = got.wish.model_dump()
    wrong = [field for field, value in case.expect.items() if field != "kind" and _shown(plain, field, names) != value]
    return f"wrong: {', '.join(f'{field} is {_shown(plain, field, names)!r}' for field in wrong)}" if wrong else RIGHT


def _shown(plain: dict[str, Any], field: str, names: dict[str, str]) -> Any:
    """A field as cases write it: runs by their names."""
    value = plain.get(field)
    if field == "uses":
        return [[names.get(use["run_id"], use["run_id"]), use["part"]] for use in value or []]
    return [names.get(run, run) for run in value or []] if field == "runs" else value


def summarise(rows: list[Row], context: Context) -> dict[str, Any]:
    """Counts by half and by kind, and needless questions."""
    return {
        "by_half": _by(rows, "half"),
        "by_kind": _by(rows, "expected"),
        "asked": _by([row for row in rows if row["expected"] == ASK], "half"),
        "needless_questions": sum(row["got"] == ASK != row["expected"] for row in rows),
    }


def _by(rows: list[Row], column: str) -> dict[str, list[int]]:
    """Value of a column -> [passed, of]."""
    table: dict[str, list[int]] = {}
    for row in rows:
        entry = table.setdefault(str(row[column]), [0, 0])
        entry[0] += bool(row["passed"])
        entry[1] += 1
    return table


SUITE = Suite(
    name="routing",
    doc="Messages to the front desk, each to become one right request, a reply, or a question",
    cases=cases_of,
    run=route,
    options={"seeds": 1, "mind": "rules", "split": None},
    summarise=summarise,
    columns=("half", "say", "expected", "got", "verdict"),
)
