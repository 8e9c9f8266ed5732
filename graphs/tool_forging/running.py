"""Start and resume a forging run from Python; what every face of the program calls."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any

from labwright.graphs.running import OnEvent, OnQuestion, System
from labwright.graphs.running import Outcome as Outcome
from labwright.graphs.tool_forging.choices import Choices
from labwright.graphs.tool_forging.graph import build_graph
from labwright.graphs.tool_forging.run_context import SMITHIES, SYSTEM, WORKSPACE
from labwright.tools.errors import InputError
from labwright.tools.specifications.base import VERSION
from labwright.tools.specifications.kinds import from_choices
from labwright.tools.specifications.task import FREE, FreeTask, read_card
from labwright.tools.specifications.yaml_files import read_document


def specify(text: str, choices: Choices, files: list[str]) -> dict[str, Any]:
    """The task as a specification; its files are those in the run's folder."""
    if read_card(text) is not None:
        return {"spec": VERSION, **read_document(text).data}  # as it was written
    return from_choices(FreeTask, choices, task=FREE, question=text, **({"inputs": files} if files else {}))


FORGE = System(SYSTEM, build_graph, SMITHIES, specify=specify)


@dataclass(frozen=True)
class ForgeRequest:
    """What is wanted.

    Attributes:
        text: the task, as it would stand in question.md.
        inputs: name -> content of the files that come with it.
        choices: how it is done.
    """

    text: str
    inputs: Mapping[str, bytes] = field(default_factory=dict)
    choices: Choices = field(default_factory=Choices)

    @property
    def files(self) -> dict[str, bytes]:
        """Path below the run's folder -> content.

        Raises:
            InputError: an input file has no plain name.
        """
        for name in self.inputs:
            if PurePosixPath(name).name != name or name in (".", ".."):
                raise InputError(f"Input file {name!r} must have a plain name, without folders.")
        return {f"{WORKSPACE}/inputs/{name}": content for name, content in self.inputs.items()}


def start(
    request: ForgeRequest, root: Path, *, on_event: OnEvent | None = None, on_question: OnQuestion | None = None
) -> Outcome:
    """Forge tools and solve the task until it is solved, given up, or waits for a person.

    Raises:
        InputError: an input file has no plain name.
        SandboxUnavailableError: nothing on this machine confines new code.
        OSError: the runs folder cannot be written.
        ModelUnavailable: the chosen model does not answer.
    """
    chosen = request.choices
    return FORGE.start(
        request.text, chosen, root, seed=chosen.seed, on_event=on_event, on_question=on_question, files=request.files
    )


resume = FORGE.resume
