"""What tool forging brings to the shared reading: cards. What no card says is forged, its results beside."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from labwright.agents.tool_forging.read_card import ReadCard, read_task
from labwright.agents.typed_call import AgentCall, Question, Refusal
from labwright.graphs.tool_forging.run_context import SYSTEM, Smithy, smithy
from labwright.graphs.tool_forging.state import ForgeState
from labwright.graphs.understand.state import Checked, Drafted, Origin
from labwright.tools.specifications.base import VERSION, Problem
from labwright.tools.specifications.card_pages import one_line
from labwright.tools.specifications.examples import example
from labwright.tools.specifications.kinds import SPEC
from labwright.tools.specifications.nearest_runnable_lines import Nearest
from labwright.tools.specifications.task import Card, TaskSpec, read_card
from labwright.tools.specifications.yaml_files import read_document, to_yaml, validated

Update = dict[str, Any]
CARD = "card.yaml"  # in the run folder: the card that was read from words


class CardReader:
    """The reader of tasks."""

    def bound(self, state: Mapping[str, Any]) -> CardReading:
        """The reading of one run."""
        return CardReading(smithy(state), state)


class CardReading:
    """Reads a card for one run."""

    system = SYSTEM
    reads_words = True  # without a model words do not come here
    elsewhere = "Forge it freely, without a card"
    grows = True
    corrects = False
    filler = None

    def __init__(self, room: Smithy, state: Mapping[str, Any]) -> None:
        self.room, self.state = room, state

    @property
    def defaults(self) -> bool:
        """Whether open questions take their default."""
        return self.room.choices.answers == "defaults"

    def parse(self, words: str) -> tuple[Drafted, Origin] | None:
        """A card that a person wrote in answer; None for words."""
        return (Drafted(read_document(words).data), "written") if read_card(words) else None

    def draft(self, words: str) -> Drafted | Question | Refusal:
        """The agents' card; a refusal where none fits."""
        answer = read_task(self.room.ask, words, self._inputs())
        if not isinstance(answer, ReadCard):
            return answer
        return Drafted(answer.data, answer.sources, answer.left_out, answer.assumed)

    def _inputs(self) -> list[str]:
        return sorted(self.room.workspace.inputs())

    def check(self, data: dict[str, Any], *, read: bool) -> Checked:
        """The card, and what is wrong with it; what it leaves to defaults is assumed."""
        whole = {"spec": VERSION, "system": SYSTEM, **data}
        card = validated(TaskSpec.kind_for(whole), whole)
        if not isinstance(card, Card):
            return Checked(whole, [Problem(("task",), "A free task is no card.", "Name a kind of card.")])
        return Checked(whole, [], card.unsaid())

    def nearest(self, words: str) -> Nearest:
        """Nothing: words are read."""
        return Nearest(words, ())

    def read_back(self, data: dict[str, Any], *, sampling: bool = False) -> str:
        """The kind of the card, what it gives, and what is done with the rest."""
        wanted = [*(data.get("named") or data.get("wanted") or data.get("observables") or [])]
        told = [f"A card, computed without a model. {one_line(data['task'])}"]
        told += [f"Results: {', '.join(map(str, wanted))}."] if wanted else []
        return "\n".join([*told, *(["What it leaves out is forged."] if self.state.get("left_out") else [])])

    def how(self, data: dict[str, Any]) -> list[str]:
        """Nothing beside the sentences."""
        return []

    def example(self) -> str:
        """One card of the kind at hand."""
        return example("task", str(self.state["draft"].get("task", "")))

    def besides(self, state: Mapping[str, Any]) -> str:
        """What another step does."""
        left = self.state.get("left_out", [])
        return f"Left to programs that are written afterwards: {'; '.join(left)}" if left else ""

    def asks(self, state: Mapping[str, Any]) -> bool:
        """Shown first if the person wants it; what a model read, where it leaves something out, or always."""
        policy = self.room.choices.approval
        if self.room.choices.plan_first or state.get("origin") != "model" or policy == "auto":
            return self.room.choices.plan_first
        return policy == "always" or bool(state.get("left_out"))

    def words_start(self) -> bool:
        """Unless everything is approved."""
        return self.room.choices.approval != "always"

    def needs_leave(self, before: dict[str, Any], after: dict[str, Any]) -> bool:
        """Always: words that come later are read into a new card."""
        return True

    def save(self, data: dict[str, Any]) -> None:
        """`card.yaml`; it is the run's specification, too, where it says the whole task."""
        files = [f"workspace/inputs/{name}" for name in self._inputs()]
        own = {"question": self.state["words"], **({"inputs": files} if files else {})}
        text = to_yaml({**data, **own})
        for name in [CARD] if self.state.get("left_out") else [CARD, SPEC]:
            self.room.run.save_text(name, text, kind="specification")

    def ask(self, call: AgentCall[Any, Any], given: Any) -> Any:
        """One typed call."""
        return self.room.ask(call, given)

    def emit(self, event: dict[str, Any], once: str) -> None:
        """Log an event."""
        self.room.emit(event, once=once)


def begin(state: ForgeState) -> Update:
    """After the reading: the card is computed, or the words are forged for as they stand."""
    room, read = smithy(state), state["standing"]
    clean: Update = {"draft": {}, "sources": {}, "problems": [], "nearest": {}, "asked": {}}
    if read == "stopped":
        return {**clean, "phase": "report", "status": "stopped", "cause": state["why"]}
    if read == "refused":
        room.emit({"kind": "no_card", "why": state["why"]}, once="no card")
        if state.get("asks"):  # a person's reason, which the analyser is to know
            room.clarify("Not as a card:", state["why"])
        return {**clean, "phase": "optimise"}
    room.lay_out((room.run.folder / CARD).read_text(encoding="utf-8"))
    return {**clean, "demands": state["left_out"], "carded": True, "assumptions": state["reading"], "phase": "analyse"}


def onward(state: ForgeState, why: str = "") -> Update:
    """From a card to what it leaves out: the words again, with the card's results among the inputs.

    Args:
        state: at the end of the card's computation.
        why: why the card failed; the whole task is forged then. Empty if it did not.
    """
    smithy(state).lay_beside(state["words"], state["demands"], why)
    done = [] if why or not state["evaluation"] else state["evaluation"]["evidence"]
    fresh: Update = {"analysis": None, "executed": None, "evaluation": None, "seen": "", "unchanged": False}
    again: Update = {"iteration": state["iteration"] + 1, "plan": "", "demands": [], "carded": False}
    return {**fresh, **again, "computed": done, "phase": "optimise"}
