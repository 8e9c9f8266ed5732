"""Start and resume a sequence; what every face of the program calls."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from labwright.graphs.running import System
from labwright.graphs.sequence.choices import Choices
from labwright.graphs.sequence.graph import build_graph
from labwright.graphs.sequence.run_context import SEQUENCES
from labwright.graphs.sequence.steps import check_steps, read_sequence
from labwright.tools.runs.run import runs_root
from labwright.tools.specifications.sequence import SYSTEM


def checked(text: str, choices: Choices) -> Choices:
    """The choices, after the steps were looked at: what cannot work is said before a run is made.

    Raises:
        InputError: a step cannot be read, is wrong, or uses what cannot be there.
    """
    check_steps(read_sequence(text), Path(choices.folder), runs_root())
    return choices


def specify(text: str, choices: Choices, files: list[str]) -> dict[str, Any]:
    """The sequence as it was written."""
    return read_sequence(text).plain()


SEQUENCE = System(SYSTEM, build_graph, SEQUENCES, adapt=checked, specify=specify)
