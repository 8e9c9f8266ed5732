"""What the nodes of a design run work with."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import Any

from labwright.agents.settings import Settings
from labwright.agents.typed_call import AgentCall, In, Out, Question, Refusal, Runtime
from labwright.graphs.protocol_design.choices import Choices
from labwright.graphs.protocol_design.state import DesignState
from labwright.graphs.run_context import OpenRuns, Surroundings
from labwright.tools.liquid_handler.substance_inventory import Inventory, read_inventory
from labwright.tools.runs.run import load_run

SYSTEM = "protocol_design"


class Workroom(Surroundings[Choices]):
    """One design's surroundings: a folder, a mind, a meter and a log."""

    @cached_property
    def inventory(self) -> Inventory | None:
        """The laboratory's list of substances; None if it has none.

        Raises:
            InputError: it does not read.
        """
        file = Settings().inventory
        return read_inventory(Path(file).expanduser()) if file else None

    def ask(self, call: AgentCall[In, Out], given: In, images: tuple[Path, ...] = ()) -> Out | Question | Refusal:
        """One typed call; runs with different seeds do not share a model's cached answers."""
        runtime = Runtime(images=images, on_event=self.hear, tags=self.tags, sample=self.choices.seed)
        return self.mind.answer(call, given, runtime)


def _open(run_dir: str, choices: dict[str, Any] | None) -> Workroom:
    run = load_run(Path(run_dir))
    return Workroom(run, Choices.model_validate(choices or run.record.choices))


WORKROOMS = OpenRuns(_open)


def workroom(state: DesignState) -> Workroom:
    """The open workroom of the state's run; opened now if this process has not yet."""
    return WORKROOMS.get(state["run_dir"], state["choices"])
