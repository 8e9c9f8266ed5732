"""What is said about runs: how they stand, what they found and decided, what they cost; and stopping and going on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from langgraph.runtime import Runtime

from labwright.agents.front_desk.actions import Show
from labwright.graphs.front_desk import memory, run_questions
from labwright.graphs.front_desk.desk_context import Desk, desk
from labwright.graphs.front_desk.facts import (
    LONGEST,
    asked_of,
    comparable,
    costs,
    difference,
    figures_of,
    found_in_words,
    listed,
    result_of,
    short,
    total_costs,
    whole,
)
from labwright.graphs.front_desk.person_channel import default_of
from labwright.graphs.front_desk.reply_messages import reply
from labwright.graphs.front_desk.run_log_account import lines_of
from labwright.graphs.front_desk.run_requests import specification_of
from labwright.graphs.front_desk.state import DeskState, Later, Reply, ReplyKind
from labwright.tools.errors import InputError
from labwright.tools.runs.listing import FINAL, summarise
from labwright.tools.runs.run import Run
from labwright.tools.specifications.differences import differences

Update = dict[str, Any]
MOST_LISTED, MOST_LINES = 20, 40
NONE = "There is no such run yet."
ENDED = ("complete", "failed", "refused", "stopped", "dead")
OPEN = ("running", "interrupted")


def newest(here: Desk, own: list[str]) -> list[str]:
    """Ids of the conversation's runs, newest first; of all there are, if it has none."""
    return [name for name in (own or here.recent())[::-1] if here.run_of(name) is not None]


def shown(state: DeskState, here: Desk, action: Show, runs: list[Run]) -> list[Reply]:
    """What code can say about runs."""
    names = [run.run_id for run in runs] or newest(here, state["runs"])
    known = [run for name in names if (run := here.run_of(name)) is not None]
    if action.what == "runs":
        return _listed(here, state["runs"])
    if action.what == "cost":
        return _cost(here, runs or known[: len(state["runs"])][::-1])
    if not known:
        return [reply(NONE)]
    if action.what == "status":
        return _status(here, runs or [run for run in known if summarise(run).status in OPEN] or known[:1])
    if action.what == "compare":
        return _compared([*known, *_others(here, known)][:2] if runs else _last_two(here, known))
    if action.what == "why":
        return why(known[0], action.stage)
    return [_shown(known[0])]


def _listed(here: Desk, own: list[str]) -> list[Reply]:
    ids = here.recent()[-MOST_LISTED:][::-1]
    found = [run for name in ids if (run := here.run_of(name)) is not None]
    return [reply(_line(run, own), "told", run.run_id, summarise(run).status) for run in found] or [reply(NONE)]


def _line(run: Run, own: list[str]) -> str:
    number = f"#{own.index(run.run_id) + 1}" if run.run_id in own else ""
    return f"{number:3} {run.run_id}  {summarise(run).status}  {asked_of(run, 40)}"


def _status(here: Desk, runs: list[Run]) -> list[Reply]:
    found = []
    for run in runs:
        asked = run_questions.open_questions(run) if (state := summarise(run)).status == "interrupted" else []
        lines = [line for _, line in lines_of(run)]
        latest = found_in_words(run) if state.status in FINAL else short(lines[-1], 200) if lines else ""
        now = f" It asks: {asked[0].title}" if asked else f" {latest}" if latest else ""
        found.append(reply(f"{run.run_id} is {state.status}.{now}", "told", run.run_id, state.status))
    return found


def _shown(run: Run, kind: ReplyKind = "shown", fault: str = "") -> Reply:
    """How a run stands or ended, why, and what it found."""
    state, found = summarise(run), found_in_words(run)
    reason = f": {(fault or state.reason).rstrip('.')}" if fault or state.reason else ""
    words = f"{run.run_id} is {state.status}{reason}." + (f" {found}." if found else "")
    assumed = [str(one) for one in result_of(run).get("assumptions") or []]
    words += f" Assumed: {whole(' '.join(assumed), LONGEST)}" if assumed else ""
    report = run.folder / "report.md"
    words += f" Report: {report}" if kind == "shown" and report.is_file() else ""
    words += " `resume` goes on with it." if kind == "ended" and state.status in ("dead", "stopped") else ""
    return reply(words, kind, run.run_id, state.status, figures_of(run))


def _cost(here: Desk, runs: Sequence[Run]) -> list[Reply]:
    each = [f"{run.run_id}: {', '.join(listed(costs(run)))}" for run in runs]
    totals = ", ".join(listed(total_costs(list(runs), here.meter.state()["total"])))
    counted = "1 run" if len(runs) == 1 else f"{len(runs)} runs"
    return [reply("\n".join([*each, f"{counted} and this conversation, in all: {totals}."]), "told")]


def _others(here: Desk, known: list[Run]) -> list[Run]:
    """The runs of the same system that are older, newest first."""
    first = known[0]
    older = [name for name in here.recent()[::-1] if name < first.run_id]
    return [run for name in older if (run := here.run_of(name)) and run.record.system == first.record.system]


def _last_two(here: Desk, known: list[Run]) -> list[Run]:
    alike = [run for run in known if run.record.system == known[0].record.system][:2]
    return alike if len(alike) == 2 else [known[0], *_others(here, known)][:2]


def _compared(runs: list[Run]) -> list[Reply]:
    if len(runs) < 2:
        return [reply("There is no second run to compare with.")]
    one, other = (comparable(run) for run in runs)
    rows = [(name, one.get(name, "-"), other.get(name, "-")) for name in dict.fromkeys([*one, *other])]
    first, second = (specification_of(run) for run in runs)
    if first and second:
        rows += [(f"specification {path}", _value(a), _value(b)) for path, a, b in differences(first, second)]
    lines = [_row(*row) for row in rows]
    return [reply("\n".join([f"{runs[0].run_id} | {runs[1].run_id}", *lines]), "told")]


def _row(name: str, mine: str, before: str) -> str:
    if mine == before:
        return f"{name}: {mine} in both"
    apart = difference(mine, before)
    return f"{name}: {mine} | {before}" + (f" | {apart}" if apart else "")


def _value(value: Any) -> str:
    return "-" if value is None else short(str(value), 60)


def why(run: Run, stage: int) -> list[Reply]:
    """What a run decided and by which numbers, from its log."""
    lines = [line for number, line in lines_of(run) if stage in (0, number)]
    if not lines:
        what = f"measurement {stage}" if stage else "decisions"
        return [reply(f"The log of {run.run_id} holds nothing about {what}.")]
    left = [f"... {len(lines) - MOST_LINES} more lines"] if len(lines) > MOST_LINES else []
    figures = [path for path in figures_of(run) if stage and f"/{stage:02d}_" in path]
    return [reply("\n".join([run.run_id, *lines[:MOST_LINES], *left]), "told", run.run_id, "", figures)]


def stopped(state: DeskState, here: Desk, runs: list[Run]) -> Update:
    """Stop those runs; without names all that go on or wait in this conversation."""
    own = [run for name in state["runs"] if (run := here.run_of(name)) is not None]
    meant = runs or [run for run in own if summarise(run).status in OPEN and run.run_id not in state["put_off"]]
    words, put_off = [], list(state["put_off"])
    for run in meant:
        status = summarise(run).status
        if status == "running":
            here.workers.pause(run)
            words.append(f"{run.run_id} stops before its next stage.")
        elif status == "interrupted":
            put_off.append(run.run_id)
            words.append(f"{run.run_id} does not go on; its question waits.")
        else:
            words.append(f"{run.run_id} is {status}, so there is nothing to stop.")
    kept = _not_behind(state["later"], {run.run_id for run in meant}) if runs else []
    words += ["What was to follow is not started."] if len(kept) < len(state["later"]) else []
    words += ["`resume` goes on with it."] if meant else ["Nothing runs."] if not words else []
    return {"put_off": put_off, "later": kept, "replies": [reply(" ".join(words))]}


def _not_behind(later: list[Later], stopped: set[str]) -> list[Later]:
    """Starts that wait for none of the `stopped` runs, nor for another start that does."""
    kept: list[Later] = []
    gone: set[str] = set()
    for each in later:
        if stopped & set(each["waits_for"]) or each.get("behind") in gone:
            gone.add(each.get("name", ""))
        else:
            kept.append(each)
    return kept


def resumed(state: DeskState, here: Desk, runs: list[Run]) -> Update:
    """Go on with those runs; without names with the newest that can be."""
    candidates = [run for name in newest(here, state["runs"]) if (run := here.run_of(name)) is not None]
    open_runs = [run for run in candidates if summarise(run).status in ("stopped", "dead", "interrupted")]
    meant = runs or open_runs[:1]
    if not meant:
        raise InputError("No run is stopped or waits.")
    words, answered, own, turned_to = [], list(state["answered"]), list(state["runs"]), state.get("turned_to", "")
    put_off = [name for name in state["put_off"] if name not in [run.run_id for run in meant]]
    for run in meant:
        status, own = summarise(run).status, list(dict.fromkeys([*own, run.run_id]))
        if status == "interrupted":
            asked = run_questions.open_questions(run)
            heard = default_of(asked[0], run.run_id, asked[0].id) if asked else None
            turned_to = run.run_id
            if heard is not None and run.run_id not in state["put_off"]:
                here.workers.answer(run, heard)
                answered.append(run.run_id)
                words.append(f"{run.run_id} goes on.")
        elif status in ("stopped", "dead"):
            words.append(f"{run.run_id} goes on." if here.workers.drive(run) else f"{run.run_id} is driven already.")
        else:
            words.append(f"{run.run_id} is {status}, so there is nothing to resume.")
    replies = [reply(" ".join(words))] if words else []
    return {"put_off": put_off, "answered": answered, "runs": own, "turned_to": turned_to, "replies": replies}


def look(state: DeskState, runtime: Runtime[Any]) -> Update:
    """Tell of the conversation's runs that ended since they were last told of; keep them in mind."""
    here, news, told = desk(state), [], dict(state["told"])
    for run_id in state["runs"]:
        run = here.run_of(run_id)
        end = _end_of(here, run) if run is not None else 0
        if run is None or not end or told.get(run_id) == end:
            continue
        told[run_id] = end
        news.append(_shown(run, "ended", here.workers.fault(run)))
        if runtime.store is not None and summarise(run).status == "complete":
            memory.keep_run(runtime.store, state["choices"]["person"], run)
    return {"replies": [*state["replies"], *news], "told": told}


def _end_of(here: Desk, run: Run) -> int:
    """Number of the event with which the run ended; 0 while it goes on or waits for an answer."""
    last, status = run.events.last() or {}, summarise(run).status
    if status == "dead":  # nobody drives it; but a worker may be about to begin
        return 0 if run.folder in here.workers.active() else int(last.get("seq", 0)) + 1
    return int(last["seq"]) if status in ENDED and last.get("kind") == "run_finished" else 0
