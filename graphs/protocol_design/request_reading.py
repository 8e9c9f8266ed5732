"""What protocol design brings to the shared reading: its specification, its planner as the check, its agent."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from labwright.agents.errors import AgentGaveUp
from labwright.agents.protocol_design.draft import ReadProtocol, page, read_protocol
from labwright.agents.typed_call import AgentCall, Question, Refusal
from labwright.graphs.protocol_design.computed_design import Planned
from labwright.graphs.protocol_design.example_retrieval import similar_to
from labwright.graphs.protocol_design.missing_values import Substances, problem_of
from labwright.graphs.protocol_design.preparing import given_protocol
from labwright.graphs.protocol_design.run_context import SYSTEM, Workroom, workroom
from labwright.graphs.protocol_design.state import DesignState
from labwright.graphs.understand.state import Checked, Drafted, Origin
from labwright.tools.errors import InputError
from labwright.tools.liquid_handler.experiment_design import ExperimentDesign
from labwright.tools.liquid_handler.substance_inventory import filled
from labwright.tools.liquid_handler.vial_amounts import Refusal as Unfit
from labwright.tools.liquid_handler.vial_amounts import calculate
from labwright.tools.specifications.base import VERSION, Problem
from labwright.tools.specifications.examples import example
from labwright.tools.specifications.kinds import SPEC
from labwright.tools.specifications.nearest_runnable_lines import Nearest
from labwright.tools.specifications.protocol import ProtocolSpec, ProtocolText
from labwright.tools.specifications.yaml_files import to_yaml, validated

Update = dict[str, Any]


class ProtocolReader:
    """The reader of protocols."""

    def bound(self, state: Mapping[str, Any]) -> ProtocolReading:
        """The reading of one run."""
        return ProtocolReading(workroom(state))  # type: ignore[arg-type]


class ProtocolReading:
    """Reads a protocol for one run."""

    system = SYSTEM
    elsewhere = ""
    grows = True
    corrects = True
    filler = Substances()

    def __init__(self, room: Workroom) -> None:
        self.room = room

    @property
    def reads_words(self) -> bool:
        """Whether there is a model."""
        return self.room.mind.reads_words

    @property
    def defaults(self) -> bool:
        """Whether open questions take their default."""
        return self.room.choices.answers == "defaults"

    def parse(self, words: str) -> tuple[Drafted, Origin] | None:
        """A specification or a table; None for words, also those that a specification holds."""
        data = given_protocol(words)
        return None if data is None or "text" in data else (Drafted(data), "written")

    def draft(self, words: str) -> Drafted | Question | Refusal:
        """The agent's protocol."""
        told = given_protocol(words)
        text = words if told is None else str(told.get("text", words))
        similar = similar_to(text, self.room.run, self.room.choices.retrieve)
        answer = read_protocol(self.ask, text, similar)
        if not isinstance(answer, ReadProtocol):
            return answer
        return Drafted(answer.data, answer.sources, answer.left_out, answer.assumed)

    def check(self, data: dict[str, Any], *, read: bool) -> Checked:
        """Planned to the end: what no plan can be made of, and what the checks of every file find wrong with it."""
        whole = filled({"spec": VERSION, "system": SYSTEM, **data}, self.room.inventory)
        kind = ProtocolSpec.kind_for(whole)
        if kind is ProtocolText:
            return Checked(whole, [Problem(("text",), "It is a text, not a protocol.", "Write groups and doses.")])
        design = validated(ProtocolSpec, whole).design
        return Checked(whole, _problems(design, whole))

    def nearest(self, words: str) -> Nearest:
        """Nothing: an example shows how it is written."""
        return Nearest(words, example=example("protocol"))

    def read_back(self, data: dict[str, Any], *, sampling: bool = False) -> str:
        """What is made, in plain sentences."""
        try:
            planned = Planned.of(validated(ProtocolSpec, data).design, {})
        except InputError:
            return "No protocol can be made of it yet."
        return "\n".join(planned.sentences())

    def how(self, data: dict[str, Any]) -> list[str]:
        """What is to be put out, and the order of addition."""
        try:
            return Planned.of(validated(ProtocolSpec, data).design, {}).preparation()
        except InputError:
            return []

    def example(self) -> str:
        """How a protocol is written, for the repairing agent."""
        return page()

    def besides(self, state: Mapping[str, Any]) -> str:
        """What the person is shown anyway, so that the second reader does not report it again."""
        shown = [f"left out, and the person is asked: {each}" for each in state.get("left_out", [])]
        return "\n".join([*shown, *(f"assumed, and the person reads it: {each}" for each in state.get("reading", []))])

    def asks(self, state: Mapping[str, Any]) -> bool:
        """If the person wants it first, and where the words ask for more than the robot can do."""
        return self.room.choices.plan_first or (state.get("origin") == "model" and bool(state.get("left_out")))

    def words_start(self) -> bool:
        """Unless every plan is approved; the robot's file waits for approval anyway, as the policy says."""
        return self.room.choices.approval != "always"

    def needs_leave(self, before: dict[str, Any], after: dict[str, Any]) -> bool:
        """Where every plan is asked about; what is planned waits for approval anyway, as the policy says."""
        return self.room.choices.approval == "always"

    def save(self, data: dict[str, Any]) -> None:
        """`spec.yaml`."""
        self.room.run.save_text(SPEC, to_yaml(data), kind="specification")

    def ask(self, call: AgentCall[Any, Any], given: Any) -> Any:
        """One typed call; one that failed is a refusal, and what was read before it stays."""
        try:
            return self.room.ask(call, given)
        except AgentGaveUp as failed:
            return Refusal(reason=str(failed))

    def emit(self, event: dict[str, Any], once: str) -> None:
        """Log an event."""
        self.room.emit(event, once=once)


def _problems(design: ExperimentDesign, data: dict[str, Any]) -> list[Problem]:
    """Questions first: what they leave open cannot be planned."""
    try:
        amounts = calculate(design)
        if isinstance(amounts, Unfit):
            asked = [problem_of(question, data) for question in amounts.questions]
            unfit = [Problem((), item.reason) for item in amounts.infeasible]
            return unfit or asked
        errors = Planned.of(design, {}).errors()
    except InputError as wrong:
        return [Problem((), str(wrong))]
    return [Problem((), one.message, one.mend) for one in errors]


def begin(state: DesignState) -> Update:
    """After the reading: to the planner, or to the end. A correction that came to nothing leaves what was there."""
    if state["standing"] == "done":
        design = validated(ProtocolSpec, state["draft"]).design
        return {"design": design.model_dump(mode="json"), "phase": "plan"}
    if state["proposed"]:
        kept = {"draft": state["proposed"], "words": state["proposed_words"]}
        open_: Update = {"problems": [], "uncovered": [], "asked": {}}
        return {**kept, **open_, "refused": f"Nothing is changed. {state['why']}", "phase": "plan"}
    status = "stopped" if state["standing"] == "stopped" else "refused"
    return {"phase": "report", "status": status, "cause": state["why"]}
