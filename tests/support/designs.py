"""Short designs for tests: descriptions, the roles that a scripted model plays, and lives that are cut off."""

from __future__ import annotations

import multiprocessing
import os
from pathlib import Path
from typing import Any

from labwright.agents.call import AgentCall
from labwright.agents.protocol_design.revise import REVISE
from labwright.agents.protocol_design.tag import TAG
from labwright.agents.protocol_design.understand import REFINE, UNDERSTAND
from labwright.agents.protocol_design.write_report import WRITE_REPORT
from labwright.agents.protocol_design.written import arrange, calculate, finish, mend, process, review, single
from labwright.agents.protocol_design.written import supervise as written_supervise
from labwright.agents.protocol_design.written import understand as written_understand
from labwright.graphs.protocol_design.choices import Choices
from labwright.graphs.protocol_design.running import DesignRequest, Outcome, resume, start
from labwright.graphs.questions import Answer, Question
from labwright.tools.runs.crash import VARIABLE
from labwright.tools.runs.run import open_run, run_ids

CLEAR = (
    "Prepare standards of caffeine in water with 0.1, 0.2 and 0.5 mM caffeine from a 10 mM stock of caffeine in water."
    " The total volume of each is 1 mL. Vortex for 5 minutes."
)
OPEN = (
    "Mix propanol and water with 10 and 20 % v/v propanol, 2 mL each. Cap the vials and heat them to 40 C overnight,"
    " then let them cool to 25 C."
)
ROLES: tuple[AgentCall[Any, Any], ...] = (UNDERSTAND, REFINE, REVISE, TAG, WRITE_REPORT)
WRITERS: tuple[AgentCall[Any, Any], ...] = (
    written_supervise.SUPERVISE,
    written_understand.UNDERSTAND,
    calculate.CALCULATE,
    arrange.ARRANGE,
    process.PROCESS,
    finish.FINISH,
    single.SINGLE,
    review.REVIEW,
    mend.MEND,
    WRITE_REPORT,
)
PATIENCE = 120.0  # s that one process may take
PRELOADED = ("labwright.graphs.protocol_design.running", "langgraph.checkpoint.sqlite", __name__)


def design(text: str, root: Path, *, on_question: Any = None, **choices: Any) -> Outcome:
    """Design without a figure and without approval, unless said otherwise."""
    chosen = Choices.model_validate({"figures": False, "approval": "auto", **choices})
    return start(DesignRequest(text, chosen), root, on_question=on_question)


def events(outcome: Outcome, kind: str) -> list[dict[str, Any]]:
    """The log's events of one kind."""
    return [event for event in open_run(outcome.run_dir.parent, outcome.run_id).events.read() if event["kind"] == kind]


def person(question: Question) -> Answer:
    """Somebody who answers every question the same way, whenever it comes."""
    if question.kind == "approve":
        return Answer(id=question.id, decision="write")
    return Answer(id=question.id, decision="2-propanol" if "propanol" in question.id else "12 h")


def live(root: Path, crash_at: str, text: str, choices: dict[str, Any]) -> None:
    """One process of a design: it begins, or goes on with the one that is there."""
    os.environ[VARIABLE] = crash_at
    if known := run_ids(root):
        resume(known[-1], root, on_question=person)
    else:
        design(text, root, on_question=person, **choices)


def life(root: Path, crash_at: str, text: str, choices: dict[str, Any]) -> int | None:
    """The exit code of one process of a design below `root`, -9 if it was killed."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([*PRELOADED])
    child = context.Process(target=live, args=(root, crash_at, text, choices))
    child.start()
    child.join(PATIENCE)
    if child.is_alive():
        child.kill()
        child.join()
    return child.exitcode
