"""Drive a conversation from a face: say something, look after the runs, answer what waits."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from langchain_core.messages import HumanMessage
from langgraph.types import Command

from labwright.agents.key_redaction import each_text, without_keys
from labwright.agents.settings import Settings
from labwright.graphs.checkpoints import DURABILITY, checkpoints, number_after
from labwright.graphs.front_desk.desk_context import DESKS, FOLDER, SYSTEM, Desk
from labwright.graphs.front_desk.graph import build_graph
from labwright.graphs.front_desk.permissions import Terms
from labwright.graphs.front_desk.run_requests import HANDED_ON, Ordered, keep_order, ordered
from labwright.graphs.front_desk.state import Open, Reply
from labwright.graphs.memory_store import open_memory
from labwright.graphs.questions import Answer, Question
from labwright.graphs.specification_runs import Job
from labwright.tools.errors import RecordError
from labwright.tools.runs.run import Run, create_run, open_run

RECURSION_LIMIT = 200


@dataclass(frozen=True)
class Turn:
    """What came of one turn.

    Attributes:
        replies: what the desk says.
        question: what waits for the person; answer it, or say something else.
        run_id: the run that asks; empty if nothing waits.
    """

    replies: list[Reply]
    question: Question | None
    run_id: str


class Conversation:
    """One person's talk with the front desk. Not for several threads at once."""

    def __init__(self, run: Run, terms: Terms, graph: Any) -> None:
        self.run, self.terms, self._graph = run, terms, graph
        self._config: Any = {"configurable": {"thread_id": run.run_id}, "recursion_limit": RECURSION_LIMIT}
        self._runs: list[str] = graph.get_state(self._config).values.get("runs", [])

    @property
    def desk(self) -> Desk:
        """What the conversation works with."""
        return DESKS.get(str(self.run.folder), self.terms.model_dump(mode="json"))

    @property
    def runs(self) -> list[str]:
        """The runs that it has started, in order."""
        return list(self._runs)

    def values(self) -> dict[str, Any]:
        """The state of the graph as it stands."""
        return dict(self._graph.get_state(self._config).values)

    def messages(self) -> list[tuple[str, str]]:
        """What was said so far: ``("human", words)`` of the person, ``("ai", words)`` of the desk."""
        said = self.values().get("messages", [])
        return [(str(one.type), str(one.text)) for one in said]

    def say(self, text: str, jobs: Sequence[Job] = (), named: Sequence[str] = ()) -> Turn:
        """The person says something. A question that waited is put off; it comes again with a later look.

        Args:
            text: the person's words.
            jobs: what they mean, where the face itself has read them, such as a line of the shell.
            named: choices of the jobs that the line names; in the others the conversation's terms hold.
        """
        folder = self.run.folder / HANDED_ON
        made = [Ordered(order=ordered(job, folder), named=list(named)).model_dump() for job in jobs]
        orders = [keep_order(each_text(without_keys, order), folder) for order in made]
        said = HumanMessage(without_keys(text), additional_kwargs={"orders": orders} if orders else {})
        return self._went({**self._terms(), "messages": [said]})

    def look(self) -> Turn:
        """Nothing new is said: what ended, and what waits."""
        return self._went(self._terms())

    def answer(self, answer: Answer) -> Turn:
        """The person answers the question that waits; one that does not fit is asked again.

        Args:
            answer: with the id of the question as it was put.
        """
        told = len(self.values().get("replies", []))  # what this turn has said already
        turn = self._went(Command(resume=answer.model_dump()))
        return Turn(turn.replies[told:], turn.question, turn.run_id)

    def waiting(self) -> Turn:
        """The question that waits since the last turn, without going on."""
        return self._turn([])

    def adopt(self, run_id: str) -> None:
        """Count a run that was begun elsewhere, such as a fork, to this conversation."""
        self._runs = list(dict.fromkeys([*self._runs, run_id]))
        self._graph.update_state(self._config, {"runs": self._runs}, as_node="answer")

    def _terms(self) -> dict[str, Any]:
        return {"choices": self.terms.model_dump(mode="json"), "run_dir": str(self.run.folder)}

    def _went(self, given: Any) -> Turn:
        for _ in self._graph.stream(given, self._config, stream_mode="updates", durability=DURABILITY):
            pass
        desk = self.desk
        desk.run.save_json("usage.json", desk.meter.state())
        values = self._graph.get_state(self._config).values
        self._runs = values.get("runs", [])
        return self._turn(values.get("replies", []))

    def _turn(self, replies: list[Reply]) -> Turn:
        state = self._graph.get_state(self._config)
        if not state.interrupts:
            return Turn(replies, None, "")
        waiting: Open = state.values["question"]
        return Turn(replies, Question.model_validate(state.interrupts[0].value), waiting["run_id"])


@contextmanager
def open_conversation(
    terms: Terms | None = None, *, conversation: str = "", state: Path | None = None
) -> Iterator[Conversation]:
    """A new conversation, or an earlier one to go on with.

    Args:
        terms: what the person grants; an earlier conversation keeps its own if None.
        conversation: id of an earlier one, a unique beginning of it, or ``latest``; empty for a new one.
        state: folder of stores; ``LABWRIGHT_STATE`` if None.

    Raises:
        RunNotFoundError: there is no such conversation.
        RecordError: another lab began it, or its terms were changed.
        LeaseError: another process talks in it.
    """
    folder = (state or Settings().state).absolute()
    root = folder / FOLDER
    if conversation:
        run = open_run(root, conversation)
        if not run.chain.ours:
            raise RecordError(
                f"Conversation {run.folder.name} does not carry the seal of this lab: another lab or an earlier version"
                " began it, or it was changed. Begin a new one; what its runs have done is kept."
            )
    else:
        plain = (terms or Terms()).model_dump(mode="json")
        run = create_run(root, SYSTEM, "conversation", plain, plain["seed"])
    granted = terms or Terms.model_validate(run.record.choices)
    with ExitStack() as stack:
        stack.enter_context(run.lease())
        saver = stack.enter_context(checkpoints(run.folder))
        number_after(saver, run.run_id)
        store = stack.enter_context(open_memory(folder))
        stack.callback(DESKS.close, str(run.folder))
        yield Conversation(run, granted, build_graph(saver, store))
