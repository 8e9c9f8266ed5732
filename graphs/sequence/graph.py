"""The graph of a sequence: one step after the other, each to its end or its question, then a report."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any, Literal

from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from typing_extensions import TypedDict

from labwright.agents.errors import AgentGaveUp
from labwright.graphs.node_kinds import PERSON, TOOL
from labwright.graphs.person_interrupt import wait
from labwright.graphs.questions import Question
from labwright.graphs.result_document import write_end
from labwright.graphs.run_creation import opened
from labwright.graphs.sequence.choices import Choices
from labwright.graphs.sequence.run_context import SEQUENCES, Sequence, sequence
from labwright.graphs.sequence.steps import check_steps, read_sequence
from labwright.tools.errors import InputError
from labwright.tools.specifications.sequence import SYSTEM

Update = dict[str, Any]
Phase = Literal["step", "ask", "report"]


class SequenceInput(TypedDict, total=False):
    """What starts a sequence."""

    request: str  # the document
    choices: dict[str, Any]  # see choices.Choices
    run_dir: str
    branch: str


class SequenceState(SequenceInput, total=False):
    """What the nodes read and write."""

    phase: Phase  # the next node
    at: int  # the step under way
    open: list[dict[str, Any]]  # questions that its run waits with
    answers: dict[str, Any]  # question id -> answer, of the step under way
    status: Literal["running", "complete", "failed", "refused", "stopped"]
    cause: str


def prepare(state: SequenceState) -> Update:
    """Open the run and look at all steps, or refuse it."""
    begun = opened(state, SYSTEM, Choices)
    here = sequence(begun)
    here.emit({"kind": "run_started", "run_id": here.run.run_id, "request": state["request"]}, once="run_started")
    empty: Update = {"at": 0, "open": [], "answers": {}, "cause": ""}
    try:
        spec = read_sequence(state["request"])
        check_steps(spec, Path(here.choices.folder), here.root)
    except InputError as refused:
        return {**begun, **empty, "phase": "report", "status": "refused", "cause": str(refused)}
    return {**begun, **empty, "phase": "step", "status": "running"}


def step(state: SequenceState) -> Update:
    """Run one step to its end or its question. One that has ended before a crash is not run again."""
    here, at = sequence(state), state["at"]
    label, last = here.spec.labels[at], at + 1 == len(here.spec.steps)
    try:
        run_id = here.begin(at)
    except InputError as wrong:
        return {"phase": "report", "status": "failed", "cause": f"Step {label}: {wrong}"}
    about = {"step": label, "number": at + 1, "of": len(here.spec.steps), "step_run": run_id}
    here.emit({"kind": "step_started", **about}, once=f"started {run_id}")
    outcome = here.go_on(run_id, state["answers"])
    if outcome.questions:
        return {"phase": "ask", "open": [_asked(each, run_id) for each in outcome.questions]}
    if outcome.status == "stopped":
        raise AgentGaveUp(f"Step {label}: {outcome.reason}")
    here.note(at, {"status": outcome.status})
    ended = {"kind": "step_ended", **about, "status": outcome.status, "reason": outcome.reason}
    here.emit(ended, once=f"ended {run_id}")
    if outcome.status != "complete":
        return {
            "phase": "report",
            "status": outcome.status,
            "cause": f"Step {label}: {_placed(here, at, outcome.reason)}",
        }
    if last:
        return {"phase": "report", "status": "complete"}
    return {"phase": "step", "at": at + 1, "open": [], "answers": {}}


def _placed(here: Sequence, at: int, reason: str) -> str:
    """A refusal with the step's file; the lines of a step that is written here are those of its own run's document."""
    if not reason.startswith("line "):
        return reason
    file = here.spec.steps[at].file
    return f"{file}, {reason}" if file else reason.partition(": ")[2]


def _asked(question: dict[str, Any], run_id: str) -> dict[str, Any]:
    """A step's question, its figures as they lie beside this run's folder."""
    return {**question, "figures": [f"../{run_id}/{figure}" for figure in question.get("figures", [])]}


def ask(state: SequenceState) -> Update:
    """Put the questions of a step to the person, one by one."""
    waiting = [each for each in state["open"] if each["id"] not in state["answers"]]
    question = Question.model_validate(waiting[0])
    sequence(state).emit({"kind": "question", "question": question.model_dump()}, once=f"question {question.id}")
    answer = wait(question)
    here = sequence(state)
    here.emit(answer.event(), once=f"answer {state['at']} {answer.id}")
    answers = {**state["answers"], answer.id: answer.model_dump()}
    return {"answers": answers, "phase": "ask" if len(waiting) > 1 else "step"}


def report(state: SequenceState) -> Update:
    """Write which runs there are and how they ended."""
    here, status = sequence(state), state["status"]
    steps = {row["label"]: {name: row[name] for name in ("system", "run_id", "status")} for row in here.steps}
    here.run.save_json("outcome.json", {"status": status, "cause": state["cause"], "result": {"steps": steps}})
    rows = [f"| {label} | {row['system']} | {row['run_id']} | {row['status']} |" for label, row in steps.items()]
    title = read_title(state)
    head = [
        f"# {title}",
        f"{status.upper()} {state['cause']}".strip(),
        "| step | system | run | status |\n|---|---|---|---|",
    ]
    here.run.save_text("report.md", "\n\n".join(head) + "\n" + "\n".join(rows) + "\n", kind="report")
    if not here.driven:
        write_end(here, status, state["cause"], [], here.meter.wall)
        SEQUENCES.close(state["run_dir"])
    return {"phase": "report"}


def read_title(state: SequenceState) -> str:
    """The sequence's title; of a document that is none, that it is none."""
    try:
        return read_sequence(state["request"]).title or "Sequence"
    except InputError:
        return "Sequence"


def then(state: SequenceState) -> Phase:
    """The node that the last one named."""
    return state["phase"]


@cache
def builder() -> StateGraph[SequenceState, Choices, SequenceInput, SequenceState]:
    """The graph, not compiled and made once: compile it with a checkpointer of your own."""
    made = StateGraph(SequenceState, input_schema=SequenceInput, context_schema=Choices)
    made.add_node("prepare", prepare)
    made.add_node("step", step, metadata=TOOL)
    made.add_node("ask", ask, metadata=PERSON)
    made.add_node("report", report)
    made.add_edge(START, "prepare")
    made.add_conditional_edges("prepare", then, ["step", "report"])
    made.add_conditional_edges("step", then, ["step", "ask", "report"])
    made.add_conditional_edges("ask", then, ["ask", "step"])
    made.add_edge("report", END)
    return made


def build_graph(checkpointer: Any = None) -> CompiledStateGraph[Any, Any, Any, Any]:
    """The compiled graph; Studio and the server bring their own checkpointer."""
    return graph.copy({"checkpointer": checkpointer})


graph = builder().compile(name=SYSTEM)
