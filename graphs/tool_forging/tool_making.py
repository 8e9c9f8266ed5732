"""The making of one tool, as a graph of its own: draft, gate, review. Tools of one plan are made side by side."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from typing_extensions import TypedDict

from labwright.agents.errors import AgentGaveUp
from labwright.agents.tool_forging.generate_tool import GENERATE, Draft, GenerateIn
from labwright.agents.tool_forging.review_tool import REVIEW, Review, ReviewIn, reviewing
from labwright.agents.typed_call import Question, Refusal
from labwright.graphs.node_kinds import AGENT, CHECK
from labwright.graphs.tool_forging.run_context import Smithy, smithy
from labwright.graphs.tool_forging.state import Work, merged
from labwright.tools.errors import InputError
from labwright.tools.forge.toolset.contract import Candidate, ToolContract
from labwright.tools.forge.toolset.gate_findings import GateReport

Update = dict[str, Any]
GATE = "gate"
MOST_DRAFTS = 5  # of one tool
MOST_REVIEWS = 3  # drafts of one tool that a reviewer sees
REVIEWERS = 2  # one that gives no valid answer is followed by another
UNREAD = ("errors", "repeat", "use", "invariants", "mutation")  # checks of the tool; a reviewer's test changes none


class MakingInput(TypedDict, total=False):
    """What the maker of a tool is told."""

    run_dir: str
    branch: str
    choices: dict[str, Any]
    work: Work
    pitfalls: list[str]


class MakingOutput(TypedDict, total=False):
    """What comes of it: number of the work -> `Made`."""

    made_tools: Annotated[dict[str, Any], merged]


class MakingState(MakingInput, MakingOutput, total=False):
    """One tool under way."""

    draft: dict[str, str] | None  # source, tests and notes
    findings: list[str]  # of gate or reviewer, on that draft
    earlier: list[str]  # what the last review found
    drafts: int
    reviews: int
    step: Literal["draft", "gate", "review", "end"]


def draft(state: MakingState) -> Update:
    """A draft in one answer; of a tool that was changed while the task was solved, the change."""
    room, work = smithy(state), state["work"]
    room.meter.check()  # a spent budget stops the run here, whole and resumable
    room.emit({"kind": "tool_begun", "tool": work["name"], "edit": work["edit"]}, once=f"tool {work['number']}")
    contract = ToolContract.model_validate(work["contract"])
    if work["edit"]:
        tool = room.toolset.find(work["name"])
        changed = room.workspace.files.text(tool.module.replace(".", "/") + ".py")
        return {"draft": {"source": changed, "tests": tool.tests, "notes": ""}, "step": "gate"}
    given = GenerateIn(
        contract=contract,
        pitfalls=state.get("pitfalls", []),
        library=room.library(contract),
        draft=Draft.model_validate(state["draft"]) if state.get("draft") else None,
        findings=state.get("findings", []),
    )
    try:
        answer: Draft | Question | Refusal = room.ask(GENERATE, given)
    except AgentGaveUp as gave_up:  # one tool that cannot be written must not end the run without a word
        answer = Refusal(reason=str(gave_up))
    if isinstance(answer, Question):
        return _ended(state, [f"Its writer asks: {answer.text}"])
    if isinstance(answer, Refusal):
        return _ended(state, [answer.reason])
    folder = f"tool_smith/task_{work['number']}"
    for name, text in {f"{work['name']}.py": answer.source, f"test_{work['name']}.py": answer.tests}.items():
        room.workspace.files.write(f"{folder}/{name}", text)  # for people: nothing is read from there
    event = {"kind": "drafted", "tool": work["name"], "source": f"{folder}/{work['name']}.py"}
    room.emit(event)
    return {"draft": answer.model_dump(), "drafts": state.get("drafts", 0) + 1, "step": "gate"}


def gate(state: MakingState) -> Update:
    """The admission gate, which runs by itself; what it finds goes back to the writer."""
    work, made = state["work"], candidate(state["work"], state["draft"] or {})
    report = gate_report(smithy(state), state["branch"], made)
    findings = [str(one) for one in report.findings]
    if work["edit"]:  # it is not mended, it is taken back
        return _ended(state, findings, report)
    if report.passed or (report.weak and state["drafts"] > 1):  # a reviewer may accept what survives
        return {"step": "review"}
    if state["drafts"] >= MOST_DRAFTS:
        return _ended(state, findings, report)
    return {"findings": findings, "step": "draft"}


def review(state: MakingState) -> Update:
    """What the gate cannot see: a reviewer reads the draft and shows with a test what holds or does not."""
    room, work, made = smithy(state), state["work"], candidate(state["work"], state["draft"] or {})
    report = gate_report(room, state["branch"], made)
    given = ReviewIn(
        contract=made.contract,
        source=made.source,
        tests=made.tests,
        gate=f"{len(report.tests)} tests green; {report.mutants.killed} of {report.mutants.total} mutants noticed.",
        survivors=list(report.survivors),
        notes=(state["draft"] or {})["notes"],
        pitfalls=state.get("pitfalls", []),
        earlier=state.get("earlier", []),
    )
    answer = _reviewed(room, given, made)
    if not isinstance(answer, Review):  # whoever wrote the tool cannot mend that; it stays out
        reason = answer.text if isinstance(answer, Question) else answer.reason
        return _ended(state, [f"Nobody could review it: {reason}"])
    bugs = [one.what + (f" (line {one.line})" if one.line else "") for one in answer.bugs]
    room.emit({"kind": "reviewed", "tool": work["name"], "approved": answer.approved, "bugs": bugs})
    reviews = state.get("reviews", 0) + 1
    if answer.approved:
        return _approved(room, state, made, answer)
    if answer.test.strip():
        wrong = " ".join(_test_fails(room, made, answer.test))
        bugs.append(f"The reviewer's test fails: {wrong}\n{answer.test}")
    if reviews >= MOST_REVIEWS or state["drafts"] >= MOST_DRAFTS:
        return _ended(state, bugs)
    return {"findings": bugs, "earlier": bugs, "reviews": reviews, "step": "draft"}


def _approved(room: Smithy, state: MakingState, made: Candidate, answer: Review) -> Update:
    """The draft with the reviewer's test, through the whole gate once more."""
    from labwright.tools.forge.gate import GateLimits
    from labwright.tools.forge.gate.parsed_candidate import with_test

    whole = with_test(made, answer.test) if answer.test.strip() else made
    report = gate_report(room, state["branch"], whole)
    accepted = {one.mutant: one.reason for one in answer.accepted}
    report = report.accepting(accepted, GateLimits().score)
    if not report.passed:  # a test that spoils what was fit is left out
        alone = gate_report(room, state["branch"], made).accepting(accepted, GateLimits().score)
        whole, report = (made, alone) if alone.passed else (whole, report)
    if report.passed or state["drafts"] >= MOST_DRAFTS:
        return _ended({**state, "draft": {**(state["draft"] or {}), "tests": whole.tests}}, [], report)
    return {"findings": [str(one) for one in report.findings], "step": "draft"}


def _ended(state: MakingState, findings: list[str], report: GateReport | None = None) -> Update:
    """A tool that is fit for the toolset, or why it is not."""
    made: Update = {
        "findings": findings or [str(one) for one in (report.findings if report else ())],
        "drafts": state.get("drafts", 0),
        "draft": state.get("draft"),
        "report": report.plain() if report is not None and report.passed else None,
    }
    return {"made_tools": {str(state["work"]["number"]): made}, "step": "end"}


def _reviewed(room: Smithy, given: ReviewIn, made: Candidate) -> Review | Question | Refusal:
    """A review; where one comes to nothing, another reviewer is asked once."""
    words = room.mind.reads_words  # rules hold fields against the contract, and hand in no test
    lost, call = "", reviewing(lambda test: _test_fails(room, made, test)) if words else REVIEW
    for _ in range(REVIEWERS):
        try:
            return room.ask(call, given)
        except AgentGaveUp as gave_up:
            lost = str(gave_up)
    return Refusal(reason=lost)


def _test_fails(room: Smithy, made: Candidate, test: str) -> list[str]:
    """What the gate says of a reviewer's test beside the tool's own."""
    from labwright.tools.forge.gate import GATE_CHECKS
    from labwright.tools.forge.gate.parsed_candidate import with_test

    try:
        whole = with_test(made, test)
    except InputError as wrong:
        return [str(wrong)]
    with room.at_gate:
        for check in GATE_CHECKS:
            if check not in UNREAD and (found := room.gate.check(check, whole)):
                return [str(one) for one in found]
    return []


def gate_report(room: Smithy, branch: str, made: Candidate) -> GateReport:
    """The gate's report on a draft, journaled: it is made once, however often the run is killed."""
    from labwright.tools.runs.action_journal import action_key

    def through() -> GateReport:
        room.emit({"kind": "gating", "tool": made.name, "check": "all"})
        with room.at_gate:
            found: GateReport = room.gate.report(made)
        return found

    key = action_key(room.run.run_id, branch, GATE, 0, 0, {"draft": made.sha256, "level": room.sandbox.level})
    stored = room.run.action(key).perform(
        through,
        GateReport.plain,
        ask=lambda: "absent",  # it leaves nothing behind but its report
        note={"what": "admission gate", "tool": made.name},
    )
    report = GateReport.from_plain(stored)
    said = {"findings": [str(one) for one in report.findings], "tests": list(report.tests)}
    room.emit({"kind": "gated", "tool": made.name, "passed": report.passed, **said}, once=f"gated {key}")
    return report


def candidate(work: Work, draft: dict[str, str]) -> Candidate:
    """A draft with its contract."""
    return Candidate(ToolContract.model_validate(work["contract"]), draft["source"], draft["tests"])


def build_making() -> CompiledStateGraph[Any, Any, Any, Any]:
    """The subgraph of one tool; mount it as a node so that drawings show it."""
    graph = StateGraph(MakingState, input_schema=MakingInput, output_schema=MakingOutput)
    graph.add_node("draft", draft, metadata=AGENT)
    graph.add_node("gate", gate, metadata=CHECK)
    graph.add_node("review", review, metadata=AGENT)
    graph.add_edge(START, "draft")
    graph.add_conditional_edges("draft", _next, {"gate": "gate", "end": END})
    graph.add_conditional_edges("gate", _next, {"draft": "draft", "review": "review", "end": END})
    graph.add_conditional_edges("review", _next, {"draft": "draft", "end": END})
    return graph.compile(name="make_tool")


def _next(state: MakingState) -> Literal["draft", "gate", "review", "end"]:
    return state["step"]
