"""Answers about runs, what ended since, and notes that are kept. Facts by code, words by an agent."""

from __future__ import annotations

from typing import Any

from langgraph.runtime import Runtime

from labwright.agents.errors import AgentError
from labwright.agents.front_desk.tell_runs import TELL, TellIn, TellOut, tell_by_rules
from labwright.agents.front_desk.wishes import NoteWish, RunsWish
from labwright.graphs.front_desk import memory
from labwright.graphs.front_desk.desk import Desk, desk
from labwright.graphs.front_desk.facts import figures_of, found_in_words, run_facts, total_costs
from labwright.graphs.front_desk.saying import reply, said
from labwright.graphs.front_desk.state import DeskState, Reply
from labwright.tools.runs.listing import summarise
from labwright.tools.runs.run import Run

Update = dict[str, Any]
MOST_LISTED = 20
ENDED = ("complete", "failed", "refused", "stopped", "dead")


def tell(state: DeskState) -> Update:
    """Answer a question about runs, or pause or resume them."""
    here, wish = desk(state), RunsWish.model_validate(state["wish"])
    runs = _meant(here, wish, state)
    if wish.what in ("pause", "resume"):
        return said(state, _steered(here, wish, runs))
    given = TellIn(
        question=state["message"],
        what=wish.what,
        runs=[run_facts(run) for run in runs],
        totals=total_costs(runs, here.meter.state()["total"]),
    )
    try:
        answer = here.ask(TELL, given)
    except AgentError:  # facts are facts, with or without a model to word them
        answer = tell_by_rules(given)
    words = answer.text if isinstance(answer, TellOut) else tell_by_rules(given).text
    figures = figures_of(runs[0]) if wish.what == "result" and runs else []
    told = reply(words, "told", runs[0].run_id if len(runs) == 1 else "", "", figures)
    listed = [_line(run) for run in runs] if wish.what == "list" else []
    return {"replies": [*state["replies"], told, *listed], "phase": "relay"}


def _meant(here: Desk, wish: RunsWish, state: DeskState) -> list[Run]:
    """The runs that are asked about; without names all for a list, else those of the conversation."""
    ids = wish.runs
    if not ids:
        ids = here.recent()[-MOST_LISTED:][::-1] if wish.what == "list" else state["runs"]
    if wish.what in ("status", "result", "pause", "resume") and not wish.runs:
        ids = ids[-1:]
    return [run for run_id in ids if (run := here.run_of(run_id)) is not None]


def _steered(here: Desk, wish: RunsWish, runs: list[Run]) -> str:
    if not runs:
        return "There is no such run."
    words = []
    for run in runs:
        status = summarise(run).status
        if wish.what == "pause" and status == "running":
            here.workers.pause(run)
            words.append(f"{run.run_id} pauses before its next stage.")
        elif wish.what == "resume" and status in ("stopped", "dead"):
            here.workers.drive(run)
            words.append(f"{run.run_id} goes on.")
        else:
            words.append(f"{run.run_id} is {status}, so there is nothing to {wish.what}.")
    return " ".join(words)


def _line(run: Run) -> Reply:
    state = summarise(run)
    asked = " ".join(run.record.asked.split())[:60]
    return reply(f"{run.run_id}  {state.status}  {asked}", "told", run.run_id, state.status)


def remember(state: DeskState, runtime: Runtime[Any]) -> Update:
    """Keep a note for later conversations."""
    if runtime.store is None:
        return said(state, "There is no memory here in which I could keep that.")
    note = NoteWish.model_validate(state["wish"])
    memory.keep_note(runtime.store, state["choices"]["person"], note)
    return said(state, f"I keep in mind ({note.about}): {note.text}")


def look(state: DeskState, runtime: Runtime[Any]) -> Update:
    """Tell of the conversation's runs that ended since they were last told of; keep them in mind."""
    here, news, told = desk(state), [], dict(state["told"])
    for run_id in state["runs"]:
        run = here.run_of(run_id)
        end = _end_of(here, run) if run is not None else 0
        if run is None or not end or told.get(run_id) == end:
            continue
        told[run_id] = end
        news.append(_news(here, run))
        if runtime.store is not None and summarise(run).status == "complete":
            memory.keep_run(runtime.store, state["choices"]["person"], run)
    return {"replies": [*state["replies"], *news], "told": told}


def _end_of(here: Desk, run: Run) -> int:
    """Number of the event with which the run ended; 0 while it goes on or waits for an answer."""
    last, status = run.events.last() or {}, summarise(run).status
    if status == "dead":  # nobody drives it; but a worker may be about to begin
        return 0 if run.folder in here.workers.active() else int(last.get("seq", 0)) + 1
    return int(last["seq"]) if status in ENDED and last.get("kind") == "run_finished" else 0


def _news(here: Desk, run: Run) -> Reply:
    state, fault = summarise(run), here.workers.fault(run)
    reason = f": {(fault or state.reason).rstrip('.')}" if fault or state.reason else ""
    found = found_in_words(run)
    words = f"{run.run_id} is {state.status}{reason}." + (f" {found}." if found else "")
    if state.status in ("dead", "stopped"):
        words += ' Say "resume" to go on with it.'
    return reply(words, "ended", run.run_id, state.status, figures_of(run))
