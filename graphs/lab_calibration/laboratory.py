"""What the nodes of one run work with: its folder, device, mind and library. Opened once a process, never in state."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from langgraph.config import get_stream_writer

from labwright.agents.call import AgentCall, In, Mind, Out, Question, Refusal, Runtime
from labwright.agents.lab_calibration.translate import Library, build_library
from labwright.agents.meter import Budget, Meter
from labwright.agents.models import make_mind
from labwright.agents.settings import Settings
from labwright.graphs.lab_calibration.choices import Choices
from labwright.tools.experiments import registry
from labwright.tools.experiments.base import Experiment
from labwright.tools.experiments.call import ExperimentCall, parse_call
from labwright.tools.knowledge.procedures import Procedure, load_procedures
from labwright.tools.qpu.device import Device
from labwright.tools.qpu.opening import open_device
from labwright.tools.runs.files import read_json
from labwright.tools.runs.run import Run, load_run

Event = dict[str, Any]


@dataclass
class Laboratory:
    """One run's surroundings.

    Attributes:
        run: the run's folder.
        choices: what the person chose.
        listen: hears every event besides the run's log.
        driven: somebody drives the graph from outside and writes the end; a server does not.
    """

    run: Run
    choices: Choices
    listen: Callable[[Event], None] | None = None
    driven: bool = False
    _said: set[str] = field(default_factory=set)

    @cached_property
    def device(self) -> Device:
        """The processor; the simulated one keeps its journal in the run's folder."""
        options = self.choices.device_options
        return open_device(self.choices.device, self.run.folder / "device", self.choices.seed, options)

    @cached_property
    def mind(self) -> Mind:
        """Who answers the typed calls."""
        settings = Settings()
        return make_mind(self.choices.mind, settings, self.meter)

    @cached_property
    def meter(self) -> Meter:
        """What the run has spent, and may."""
        meter = Meter(Budget.parse(self.choices.budget or Settings().budget))
        usage = self.run.folder / "usage.json"
        if usage.exists():  # a resumed run goes on counting
            meter.restore(read_json(usage, "Delete it; the count then begins anew."))
        return meter

    @cached_property
    def experiments(self) -> dict[str, type[Experiment]]:
        """Name -> class, the user's own included."""
        return registry.experiments(self.lab_folder)

    @cached_property
    def procedures(self) -> dict[str, Procedure]:
        """Slug -> procedure, the user's own included."""
        return load_procedures([self.lab_folder] if self.lab_folder else [])

    @cached_property
    def library(self) -> Library:
        """The translation agents and the index that activates them."""
        cards = {name: registry.card(kind) for name, kind in self.experiments.items()}
        return build_library(self.mind, cards, self.procedures, Settings().state / "knowledge")

    @property
    def lab_folder(self) -> Path | None:
        """The user's own experiments and procedures."""
        return Path(self.choices.lab) if self.choices.lab else None

    def parse(self, code: str, variables: dict[str, Any]) -> ExperimentCall:
        """Candidate code as a call.

        Raises:
            CallSyntaxError: it is not one call to a known experiment.
        """
        return parse_call(code, self.library.cards, variables)

    def ask(self, call: AgentCall[In, Out], given: In, images: tuple[Path, ...] = ()) -> Out | Question | Refusal:
        """One typed call; its event goes to the run's log."""
        return self.mind.answer(call, given, Runtime(images=images, on_event=self.hear))

    def emit(self, event: Event, once: str = "") -> None:
        """Log an event. One with a `once` mark is logged a single time, however often its node runs again."""
        if once:
            if not self._said:
                self._said = {str(old.get("once", "")) for old in self.run.events.read()} | {""}
            if once in self._said:
                return
            event = {**event, "once": once}
        self.run.events.append(event)
        self._said |= {once} - {""}  # not before: a full disk must not make it count as said
        _stream(event)
        if self.listen is not None:
            self.listen(event)

    def hear(self, event: Event) -> None:
        """Log an agent's event under a kind of its own: a person's questions and answers are events, too."""
        self.emit({**event, "kind": "agent", "reply": event.get("kind", "")})
        if event.get("tokens") != 0:  # a killed process must not forget what a model has cost
            self.run.save_json("usage.json", self.meter.state())

    def close(self) -> None:
        """Give the device back."""
        if "device" in self.__dict__:
            self.device.close()
            del self.__dict__["device"]


def _stream(event: Event) -> None:
    """Send an event to whoever streams the graph (Studio, the SDK); outside of a node nobody does."""
    try:
        writer = get_stream_writer()
    except RuntimeError:
        return
    writer(event)


_open: dict[str, Laboratory] = {}
_lock = threading.RLock()


def laboratory(run_dir: str, choices: dict[str, Any] | None = None) -> Laboratory:
    """The open laboratory of the run in `run_dir`; opened now if this process has not yet.

    Nodes call this with what the state holds, so a run resumes in any process. The table holds handles, no facts.
    """
    with _lock:
        if run_dir not in _open:
            run = load_run(Path(run_dir))
            _open[run_dir] = Laboratory(run, Choices.model_validate(choices or run.record.choices))
        return _open[run_dir]


def close_laboratory(run_dir: str) -> None:
    """Give back what the run's laboratory holds in this process."""
    with _lock:
        lab = _open.pop(run_dir, None)
    if lab is not None:
        lab.close()
