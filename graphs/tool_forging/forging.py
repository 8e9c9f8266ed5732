"""The smithy: a draft is written, goes through the gate, is reviewed, and enters the toolset. There is no other way."""

from __future__ import annotations

from time import perf_counter
from typing import Any

from labwright.agents.call import Question, Refusal
from labwright.agents.errors import AgentGaveUp
from labwright.agents.tool_forging.generate_tool import GENERATE, Generated, GenerateIn, paths_of
from labwright.agents.tool_forging.review_tool import REVIEW, Bug, Review, ReviewIn
from labwright.graphs.self_check import Finding
from labwright.graphs.tool_forging import asking
from labwright.graphs.tool_forging.smithy import SMITHIES, Smithy, smithy
from labwright.graphs.tool_forging.state import ForgeState, Work
from labwright.graphs.tool_forging.supervising import refuse
from labwright.tools.forge.contract import Candidate, ToolContract
from labwright.tools.forge.findings import GateReport
from labwright.tools.forge.try_draft import CONTRACT

Update = dict[str, Any]
GATE = "gate"
NOTES = "notes.md"  # in a draft's folder: what its writer said of it
REVIEWERS = 2  # one that gives no valid answer is followed by another


def folder_of(work: Work) -> str:
    """Where a tool is drafted, in isolation."""
    return f"tool_smith/task_{work['number']}"


def generate(state: ForgeState) -> Update:
    """A draft of the tool at work, or a better one after a review."""
    room, work = smithy(state), state["work"]
    assert work is not None
    drafted = _draft(room, work, state["review"])
    if isinstance(drafted, Question):
        return asking.clarify(state, drafted.text, drafted.options, "generate")
    if isinstance(drafted, str):
        return refuse(state, [drafted])
    return {**to_gate(state, drafted), "drafts": state["drafts"] + 1}


def recheck(state: ForgeState) -> Update:
    """A tool that was changed while the task was solved goes through the gate like a new one."""
    room, work = smithy(state), state["work"]
    assert work is not None
    tool = room.toolset.find(work["name"])
    changed = room.workspace.files.text(tool.module.replace(".", "/") + ".py")
    return to_gate(state, Candidate(tool.contract, changed, tool.tests))


def to_gate(state: ForgeState, draft: Candidate) -> Update:
    """What the self-check needs to hold a draft against the gate."""
    work = state["work"]
    assert work is not None
    return {
        "artifact": plain(draft),
        "check_context": {"run_dir": state["run_dir"], "branch": state["branch"], "work": dict(work)},
        "check_mode": "guided",
        "check_round": 0,
        "findings": [],
        "check_log": [],
        "check_status": "open",
        "phase": "check",
    }


def _draft(room: Smithy, work: Work, findings: list[str]) -> Candidate | Question | str:
    """The agent's draft as it lies in its folder; a question, or why there is none."""
    contract = ToolContract.model_validate(work["contract"])
    room.workspace.files.write(f"{folder_of(work)}/{CONTRACT}", contract.model_dump_json(indent=1))  # for `try_draft`
    given = GenerateIn(contract=contract, folder=folder_of(work), findings=findings)
    try:
        answer: Generated | Question | Refusal = room.work(GENERATE, given)
    except AgentGaveUp as gave_up:  # one tool that cannot be written must not end the run without a word
        return str(gave_up)
    if isinstance(answer, Refusal):
        return answer.reason
    if isinstance(answer, Question):
        return answer
    room.workspace.files.write(f"{folder_of(work)}/{NOTES}", answer.notes)  # for the reviewer, also after a restart
    source, tests = (room.workspace.files.text(path) for path in paths_of(folder_of(work), work["name"]))
    return Candidate(contract, source, tests)


def plain(draft: Candidate) -> dict[str, Any]:
    """A draft as a graph's state carries it."""
    return {"contract": draft.contract.model_dump(mode="json"), "source": draft.source, "tests": draft.tests}


def candidate(artifact: dict[str, Any]) -> Candidate:
    """The draft of `plain`."""
    return Candidate(ToolContract.model_validate(artifact["contract"]), artifact["source"], artifact["tests"])


def gate_report(room: Smithy, branch: str, draft: Candidate) -> GateReport:
    """The gate's report on a draft, journaled: it is made once, however often the run is killed."""
    from labwright.tools.runs.actions import action_key

    def through() -> GateReport:
        room.emit({"kind": "gating", "tool": draft.name, "check": "all"})
        found: GateReport = room.gate.report(draft)
        return found

    key = action_key(room.run.run_id, branch, GATE, 0, 0, {"draft": draft.sha256, "level": room.sandbox.level})
    stored = room.run.action(key).perform(
        through,
        GateReport.plain,
        ask=lambda: "absent",  # it leaves nothing behind but its report
        note={"what": "admission gate", "tool": draft.name},
    )
    report = GateReport.from_plain(stored)
    said = {"findings": [str(one) for one in report.findings], "tests": list(report.tests)}
    room.emit({"kind": "gated", "tool": draft.name, "passed": report.passed, **said}, once=f"gated {key}")
    return report


class ToolChecker:
    """The admission gate as the self-check sees it, and the generator as its reviser."""

    names = (GATE,)

    def check(self, name: str, artifact: dict[str, Any], context: dict[str, Any]) -> list[Finding]:
        """The findings of the first of the gate's checks that has some."""
        room = SMITHIES.get(context["run_dir"])
        report = gate_report(room, context["branch"], candidate(artifact))
        return [Finding(check=f"{one.check}/{one.rule}", message=_at(one), mend=one.mend) for one in report.findings]

    def review(self, artifact: dict[str, Any], context: dict[str, Any]) -> list[Finding]:
        """The same; the gate is one whole."""
        return self.check(GATE, artifact, context)

    def revise(
        self, artifact: dict[str, Any], findings: list[Finding], context: dict[str, Any]
    ) -> dict[str, Any] | None:
        """Another draft by the generator; an executor's change is not mended, it is taken back."""
        room, work = SMITHIES.get(context["run_dir"]), context["work"]
        if work["edit"]:
            return None
        found = [f"{one['check']}: {one['message']} {one['mend']}".strip() for one in findings]
        drafted = _draft(room, work, found)
        return plain(drafted) if isinstance(drafted, Candidate) else None


def _at(finding: Any) -> str:
    return f"Line {finding.line}: {finding.message}" if finding.line else str(finding.message)


def review(state: ForgeState) -> Update:
    """What the gate cannot see: a reviewer reads and tries the draft."""
    room, work = smithy(state), state["work"]
    assert work is not None
    draft = candidate(state["artifact"])
    report = gate_report(room, state["branch"], draft)
    told = f"{len(report.tests)} tests green; {report.mutants.killed} of {report.mutants.total} mutants seen."
    notes = f"{folder_of(work)}/{NOTES}"
    said = room.workspace.files.text(notes) if room.workspace.files.exists(notes) else ""
    given = ReviewIn(contract=draft.contract, folder=folder_of(work), gate=told, notes=said, earlier=state["review"])
    answer = _reviewed(room, given)
    if not isinstance(answer, Review):  # whoever wrote the tool cannot mend that; it stays out
        reason = answer.text if isinstance(answer, Question) else answer.reason
        return refuse(state, [f"Nobody could review it: {reason}"])
    bugs = [] if answer.approved else [_said(one) for one in answer.bugs]
    room.emit({"kind": "reviewed", "tool": work["name"], "approved": answer.approved, "bugs": bugs})
    return {"reviews": state["reviews"] + 1, "review": bugs, **_REVIEWED}


_REVIEWED: Update = {"phase": "reviewed"}


def _reviewed(room: Smithy, given: ReviewIn) -> Review | Question | Refusal:
    """A review; where one comes to nothing, another reviewer is asked once."""
    lost = ""
    for _ in range(REVIEWERS):
        try:
            return room.work(REVIEW, given)
        except AgentGaveUp as gave_up:
            lost = str(gave_up)
    return Refusal(reason=lost)


def _said(bug: Bug) -> str:
    return f"{bug.what} ({bug.where}) Evidence: {bug.evidence}"


def admit(state: ForgeState) -> Update:
    """Put the draft into the toolset and the toolset into the workspace. Again after a crash, it changes nothing."""
    room, work = smithy(state), state["work"]
    assert work is not None
    begun = perf_counter()
    draft = candidate(state["artifact"])
    report = gate_report(room, state["branch"], draft)
    if not room.toolset.has(draft.name) or room.toolset.find(draft.name).record.candidate_sha256 != draft.sha256:
        room.toolset.admit(draft, report, made_by=room.mind.name)
    if not work["edit"]:
        room.materialise()
    mutants = {"killed": report.mutants.killed, "total": report.mutants.total}
    event = {"kind": "admitted", "tool": draft.name, "mutants": mutants, "checks": report.seconds}
    room.emit({**event, "seconds": round(perf_counter() - begun, 3)}, once=f"admitted {work['number']}")
    kind = "edited" if work["edit"] else "forged"
    names: list[str] = list(state["edited"] if work["edit"] else state["forged"])
    return {kind: list(dict.fromkeys([*names, draft.name])), "work": None, "phase": "next_tool"}
