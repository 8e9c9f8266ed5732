"""What a run did, from its log: numbers with units, who decided what and by which rule, and the figures."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

from labwright.agents.front_desk.conversation_view import CUT
from labwright.agents.front_desk.explain import Account
from labwright.graphs.front_desk.facts import (
    asked_of,
    costs,
    figures_of,
    findings,
    listed,
    short,
    spent_by,
    whole,
    whole_lines,
    with_error,
)
from labwright.graphs.front_desk.run_details import details
from labwright.graphs.front_desk.run_questions import open_questions
from labwright.graphs.front_desk.run_requests import specification_of
from labwright.tools.experiments.registry import card, experiments
from labwright.tools.runs.listing import read_result, summarise
from labwright.tools.runs.run import Run
from labwright.tools.specifications.yaml_files import to_yaml

MOST_LOG, LONGEST, MOST_TEXT = 40_000, 1200, 8000  # characters of a log, of one of its parts, and of a document
BARE = ("seq", "time", "kind", "once", "seal", "sha256", "tokens", "cached", "images", "looked", "file", "seconds")
SILENT = ("run_started", "run_finished", "sandbox", "queued", "trial_started", "translated", "stage_started", "planned")
MADE_WITH = ("seed", "device", "approval", "answers", "budget")  # of the choices of a run
FILES = {"results.json": "every number and curve of the task, as JSON:", "spec.yaml": "specification, to run again:"}
PROSE = ("write_report", "front_desk")  # agents that decide nothing
CALLED = {"understand.cover": "the second reader", "understand.repair": "the agent that corrects the specification"}
DECIDES = ".decide"  # the end of the name of agents whose answer is what the next `decided` tells
Event = dict[str, Any]


def account_of(run: Run) -> Account:
    """All that is known of a run, for an agent."""
    state = summarise(run)
    spent = {name: value for name, value in costs(run).items() if name != "wall time"}  # it differs from run to run
    specification, report = specification_of(run), run.folder / "report.md"
    facts = [*listed({**findings(run), **spent}), *places_of(run), *details(run)]
    reason = state.reason if state.status != "running" else ""
    asked = open_questions(run) if state.status == "interrupted" else []
    return Account(
        run_id=run.run_id,
        system=run.record.system,
        asked=asked_of(run, LONGEST),
        status=f"{state.status}: {reason}".rstrip(": "),
        facts=facts,
        specification=whole_lines(to_yaml(specification), MOST_TEXT) if specification else "",
        asks=whole_lines("\n".join(f"{each.title}\n{each.body_markdown}" for each in asked), MOST_TEXT),
        report=whole_lines(report.read_text(encoding="utf-8"), MOST_TEXT) if report.is_file() else "",
        log=_newest([line for _, line in lines_of(run)]),
        figures=figures_of(run),
    )


def places_of(run: Run) -> list[str]:
    """Where its files lie, what it was made with, and how long it took."""
    made = [f"{one['path']} ({one['kind']})" for one in (read_result(run) or {}).get("artifacts", [])]
    report, wall = run.folder / "report.md", spent_by(run).get("wall time") or 0.0
    chosen = {name: run.record.choices.get(name) for name in MADE_WITH}
    return [
        *([f"report {report}"] if report.is_file() else ["report: none yet, it is written at the end"]),
        *(f"{what} {run.folder / name}" for name, what in FILES.items() if (run.folder / name).is_file()),
        short(f"folder {run.folder} with {', '.join(made) or 'nothing made yet'}", MOST_TEXT),
        ", ".join(f"{name} {value}" for name, value in chosen.items() if value not in (None, "")),
        *([f"its work was done in {wall:.2f}s"] if wall else []),  # a recording leaves such a time out
    ]


def _newest(lines: list[str]) -> list[str]:
    """The last lines that there is room for, each whole."""
    at, room = len(lines), MOST_LOG
    while at and room >= len(lines[at - 1]):
        at, room = at - 1, room - len(lines[at - 1])
    return [*([f"{CUT} {at} earlier lines"] if at else []), *lines[at:]]


def lines_of(run: Run) -> Iterator[tuple[int, str]]:
    """(number of the measurement, one line of the log); 0 before the first and where nothing is measured."""
    number, agent = 0, ""
    for event in run.events.read():
        kind = event.get("kind", "")
        number += kind == "measured"
        if kind == "agent":
            name = str(event.get("agent", ""))
            if event.get("mind") == "rules" or name.endswith(PROSE):
                continue
            agent = name if name.endswith(DECIDES) else agent
        if kind in SILENT:
            continue
        words = _LINES.get(kind, _plain)(event, agent)
        agent = "" if kind == "decided" else agent
        yield number, f"{number}. {words}" if number else words


def _measured(event: Event, agent: str) -> str:
    units = _units(str(event.get("experiment")))
    given = ", ".join(f"{name} = {value} {units.get(name, '')}".strip() for name, value in event["arguments"].items())
    figure = f", figure {event['figure']}" if event.get("figure") else ""
    return f"measured {event.get('experiment')} ({given}{figure})"


@cache
def _units(experiment: str) -> dict[str, str]:
    """The unit of each parameter of a shipped experiment; of one of a lab, none."""
    known = experiments()
    return {each.name: each.unit for each in card(known[experiment]).parameters} if experiment in known else {}


def _inspected(event: Event, agent: str) -> str:
    found = [
        f"{name} {with_error(one['value'], one.get('error'), one.get('unit', ''))}"
        for name, one in event.get("estimates", {}).items()
        if isinstance(one, dict) and isinstance(one.get("value"), int | float)
    ]
    numbers = f" [{', '.join(found)}]" if found else ""
    why = f"{event.get('diagnosis')}. {event.get('reason', '')}"
    return whole(f"judged {event.get('verdict')}: {why}{numbers}", 2 * LONGEST)


def _decided(event: Event, agent: str) -> str:
    changes = ", ".join(f"{name} = {value}" for name, value in (event.get("changes") or {}).items())
    by = _called(agent) if agent else "the rule of the stage"
    then = f"next: {event.get('next')}" + (f" with {changes}" if changes else "")
    return whole(f"decided by {by}: {event.get('reason')} {then}", 2 * LONGEST)


def _agent(event: Event, _decider: str) -> str:
    agent = event.get("agent", "")
    output = event.get("output") or {}
    said = ", ".join(
        f"{name}: {whole(str(value), LONGEST)}" for name, value in output.items() if value not in ("", [], {})
    )
    return whole(f"{_called(agent)} ({event.get('reply')}): {said}", 2 * LONGEST)


def _called(agent: str) -> str:
    """An agent by what it does, as nobody but its authors knows its name."""
    return CALLED.get(agent) or f"the agent for {agent.rpartition('.')[2].replace('_', ' ')}"


def _understood(event: Event, agent: str) -> str:
    return whole(f"read ({event.get('origin')}): {event.get('read_back')}", 2 * LONGEST)


def _question(event: Event, agent: str) -> str:
    asked = event.get("question") or {}
    return whole(f"asked the person: {asked.get('title', '')}", 2 * LONGEST)


def _answer(event: Event, agent: str) -> str:
    by = event.get("by", "")
    return whole(f"answered {'by default' if by == 'default' else f'by {by}'}: {event.get('decision')}", 2 * LONGEST)


def _plain(event: Event, agent: str) -> str:
    """An event of any other kind: its fields, without bookkeeping."""
    shown = {name: value for name, value in event.items() if name not in BARE and value not in ("", [], {}, None)}
    said = ", ".join(f"{name} {_number(value)}" for name, value in shown.items())
    return whole(f"{str(event.get('kind', '')).replace('_', ' ')}: {said}", 2 * LONGEST)


def _number(value: Any) -> str:
    return f"{value:.6g}" if isinstance(value, float) else whole(str(value), 2 * LONGEST)


_LINES: dict[str, Callable[[Event, str], str]] = {
    "understood": _understood,
    "measured": _measured,
    "inspected": _inspected,
    "decided": _decided,
    "agent": _agent,
    "question": _question,
    "answer": _answer,
}
