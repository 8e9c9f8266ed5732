"""What the nodes of one run work with besides its state: the run's folder, a mind, a meter, the log.

Every system has its own kind (`lab_calibration` adds a device). Opened once a process, never in state.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar

from langgraph.config import get_stream_writer

from labwright.agents.backend_selection import make_mind
from labwright.agents.meter import Budget, Meter
from labwright.agents.settings import Settings
from labwright.agents.typed_call import AgentCall, In, Mind, Out, Question, Refusal, Runtime
from labwright.tools.runs.run import Run
from labwright.tools.runs.spending import keep_usage, usage_of

Event = dict[str, Any]


class CommonChoices(Protocol):
    """What every system lets a person choose."""

    @property
    def mind(self) -> str: ...

    @property
    def budget(self) -> str: ...


C = TypeVar("C", bound=CommonChoices)


@dataclass
class Surroundings(Generic[C]):
    """One run's surroundings.

    Attributes:
        run: the run's folder.
        choices: what the person chose.
        listen: hears every event besides the run's log.
        driven: somebody drives the graph from outside and writes the end; a server does not.
        guard: raises once another worker has taken the run over; asked before every event.
        stage: where the run is, for traces; empty where it has no stages.
    """

    run: Run
    choices: C
    listen: Callable[[Event], None] | None = None
    driven: bool = False
    guard: Callable[[], None] | None = None
    stage: str = ""
    _said: set[str] = field(default_factory=set)

    @cached_property
    def mind(self) -> Mind:
        """Who answers the typed calls."""
        return make_mind(self.choices.mind, Settings(), self.meter)

    @cached_property
    def meter(self) -> Meter:
        """What the run has spent, and may."""
        meter = Meter(Budget.parse(self.choices.budget or Settings().budget))
        meter.restore(usage_of(self.run.folder))  # a resumed run goes on counting
        return meter

    @property
    def tags(self) -> dict[str, str]:
        """Attributes of what a trace shows of this run."""
        return {"run_id": self.run.run_id, **({"stage": self.stage} if self.stage else {})}

    def ask(self, call: AgentCall[In, Out], given: In, images: tuple[Path, ...] = ()) -> Out | Question | Refusal:
        """One typed call; its event goes to the run's log."""
        return self.mind.answer(call, given, Runtime(images=images, on_event=self.hear, tags=self.tags))

    def emit(self, event: Event, once: str = "") -> None:
        """Log an event. One with a `once` mark is logged a single time, however often its node runs again.

        Raises:
            LeaseError: the run is another worker's by now.
        """
        if self.guard is not None:
            self.guard()
        if once:
            if self.has_said(once):
                return
            event = {**event, "once": once}
        self.run.events.append(event)
        self.keep_spending()
        self._said |= {once} - {""}  # not before: a full disk must not make it count as said
        _stream(event)
        if self.listen is not None:
            self.listen(event)

    def has_said(self, once: str) -> bool:
        """Whether an event with this mark is in the log."""
        if not self._said:
            self._said = {str(old.get("once", "")) for old in self.run.events.read()} | {""}
        return once in self._said

    def hear(self, event: Event) -> None:
        """Log an agent's event under a kind of its own: a person's questions and answers are events, too."""
        self.emit({**event, "kind": "agent", "reply": event.get("kind", "")})

    def keep_spending(self) -> None:
        """Write what was spent so far: it outlives a killed process, but maybe not a power cut."""
        keep_usage(self.run.folder, self.meter.state(), sync=False)

    def rest(self) -> None:
        """Bring what the run drives to rest: it ends, stops or waits."""

    def close(self) -> None:
        """Give back what the run holds in this process."""


def _stream(event: Event) -> None:
    """Send an event to whoever streams the graph (Studio, the SDK); outside of a node nobody does."""
    try:
        writer = get_stream_writer()
    except (RuntimeError, KeyError):  # outside of a run, or in an agent's own trace outside of a graph
        return
    writer(event)


S = TypeVar("S", bound="Surroundings[Any]")


class OpenRuns(Generic[S]):
    """The surroundings of the runs that this process has open, by folder. It holds handles, no facts."""

    def __init__(self, make: Callable[[str, dict[str, Any] | None], S]) -> None:
        self._make = make
        self._open: dict[str, S] = {}
        self._lock = threading.RLock()

    def get(self, run_dir: str, choices: dict[str, Any] | None = None) -> S:
        """The surroundings of the run in `run_dir`; opened now if this process has not yet."""
        with self._lock:
            if run_dir not in self._open:
                self._open[run_dir] = self._make(run_dir, choices)
            return self._open[run_dir]

    def close(self, run_dir: str) -> None:
        """Give back what the run's surroundings hold."""
        with self._lock:
            opened = self._open.pop(run_dir, None)
        if opened is not None:
            opened.close()
