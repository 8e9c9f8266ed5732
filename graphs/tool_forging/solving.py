"""The nodes that solve the task: scripts that use the tools, then an evaluation of what came out."""

from __future__ import annotations

import hashlib
from pathlib import Path
from time import perf_counter
from typing import Any

from labwright.agents.errors import AgentGaveUp
from labwright.agents.tool_forging.analyse import Analysis, module_of, tools_there
from labwright.agents.tool_forging.evaluate_solution import EvaluateIn, Evaluation, evaluating
from labwright.agents.tool_forging.solution import RESULTS, Executed, ExecuteIn, figure_paths
from labwright.agents.tool_forging.solution_view import shown_solution
from labwright.agents.tool_forging.solve_task import EXECUTE
from labwright.agents.tool_forging.tool_interface import shown
from labwright.agents.typed_call import Question, Refusal
from labwright.graphs.tool_forging import asking
from labwright.graphs.tool_forging.run_context import Smithy, smithy
from labwright.graphs.tool_forging.state import ForgeState
from labwright.graphs.tool_forging.supervisor_routing import ended
from labwright.tools.runs.action_journal import action_key
from labwright.tools.runs.hashed_files import to_json

Update = dict[str, Any]
MOST_FIGURES = 6  # that an evaluator is shown


def execute(state: ForgeState) -> Update:
    """Solve the task with the tools that are there. Journaled: a killed run does not solve twice what was solved."""
    room, chosen, now = smithy(state), state["choices"], state["iteration"]
    room.emit({"kind": "executing", "iteration": now})
    analysis = Analysis.model_validate(state["analysis"])
    given = ExecuteIn(
        task=room.workspace.question,
        analysis=analysis,
        tools=_calls(room, analysis),
        mode=chosen["mode"],
        iteration=now,
        plan=state["plan"],
        threads=chosen["threads"],
        memory_mb=chosen["memory_mb"],
        job_seconds=chosen["job_seconds"],
    )
    begun = perf_counter()
    asked = {"iteration": now, "answers": sorted(state["answers"]), "plan": state["plan"]}
    key = action_key(room.run.run_id, state["branch"], "execute", now, 0, asked)
    answer = room.run.action(key).perform(
        lambda: _solved(room, given),
        _stored,
        ask=lambda: "absent",  # jobs of the same key are found again, so a second try repeats none that has ended
        note={"what": "solution", "iteration": now},
    )
    took = perf_counter() - begun
    if answer["kind"] == "question":
        return asking.clarify(state, answer["text"], answer["options"], "execute")
    if answer["kind"] == "refusal":
        return ended("refused", answer["reason"])
    executed = answer["executed"]
    room.emit({"kind": "executed", "iteration": now, "summary": executed["summary"], "seconds": round(took, 3)})
    spent = state["seconds"]
    return {
        "executed": executed,
        "seconds": {**spent, "execution": round(spent.get("execution", 0.0) + took, 3)},
        "phase": "executed",
    }


def _solved(room: Smithy, given: ExecuteIn) -> Executed | Question | Refusal:
    """The executor's account; where it gives no valid one although results are there, these are judged without."""
    try:
        return room.work(EXECUTE, given)
    except AgentGaveUp as gave_up:
        files = room.workspace.files
        if not files.exists(RESULTS):
            raise
        scripts = sorted(one.path for one in files.files(pattern="script_*.py"))
        failures = [f"The executor gave no valid account of its work. {gave_up}"]
        known = {"scripts": scripts, "figures": figure_paths(room.workspace), "tools": [], "failures": failures}
        return Executed.model_validate(
            {**known, "trial": "Nobody told of one.", "summary": "Results without an account."}
        )


def _calls(room: Smithy, analysis: Analysis) -> dict[str, str]:
    there = tools_there(room.workspace) if room.mind.reads_words else {}
    named = [name for name in dict.fromkeys(stage.tool for stage in analysis.stages) if name in there]
    return {name: shown(room.workspace.files.text(there[name]), name, module_of(there[name])) for name in named}


def _stored(answer: Executed | Question | Refusal) -> Update:
    if isinstance(answer, Question):
        return {"kind": "question", "text": answer.text, "options": answer.options}
    if isinstance(answer, Refusal):
        return {"kind": "refusal", "reason": answer.reason}
    return {"kind": "executed", "executed": answer.model_dump(mode="json")}


def evaluate(state: ForgeState) -> Update:
    """Whether the task is solved, by flags with evidence; what follows from them is computed."""
    room, now = smithy(state), state["iteration"]
    begun = perf_counter()
    room.materialise()  # what the executor changed has been admitted by now, or is taken back
    given = shown_solution(room.workspace, Executed.model_validate(state["executed"]), now)
    answer: Evaluation | Question | Refusal
    try:
        answer = room.ask(evaluating(room.workspace), given, _pictures(room, given))
    except AgentGaveUp as gave_up:
        answer = Refusal(reason=str(gave_up))
    if not isinstance(answer, Evaluation):  # what nobody could judge is not called solved
        reason = answer.text if isinstance(answer, Question) else answer.reason
        return ended("failed", f"The solution could not be evaluated: {reason}")
    found = answer.as_file()
    room.run.save_json("workspace/evaluation.json", found)
    digest = _digest(room.workspace.folder)
    holds = sum(one.passed for one in answer.evidence)
    summary = f"{holds} of {len(answer.evidence)} statements hold"
    event = {"kind": "evaluated", "iteration": now, "next_step_needed": answer.next_step_needed, "summary": summary}
    room.emit({**event, "seconds": round(perf_counter() - begun, 3)}, once=f"evaluated {now}")
    return {
        "evaluation": found,
        "evaluations": [*state["evaluations"], to_flags(found)],
        "unchanged": digest == state["seen"],
        "seen": digest,
        "phase": "evaluated",
    }


def _pictures(room: Smithy, given: EvaluateIn) -> tuple[Path, ...]:
    """Figures for a model that takes images."""
    named = given.executed.figures if given.executed and room.mind.sees_images else []
    return tuple(room.workspace.folder / path for path in named[:MOST_FIGURES])


def to_flags(evaluation: Update) -> Update:
    """An evaluation without its evidence."""
    return {name: value for name, value in evaluation.items() if name != "evidence"}


def _digest(folder: Path) -> str:
    """What the solution is, as far as an evaluation can tell two apart: results, and the scripts that made them."""
    named = sorted([*folder.glob("*.py"), folder / "results.json"])
    parts = [(path.name, path.read_bytes().hex()) for path in named if path.is_file() and not path.is_symlink()]
    return hashlib.sha256(to_json(parts)).hexdigest()
