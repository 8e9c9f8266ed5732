"""What a tool is asked to be, before anybody writes it; and a draft of one."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from pydantic import BaseModel, Field

TOOL_NAME = r"^[a-z][a-z0-9]*(_[a-z0-9]+)*$"


class Parameter(BaseModel, extra="forbid"):
    """One field of a tool's input or output."""

    name: str = Field(description="Name of the field, in snake_case.")
    type: str = Field(description="Python type, such as float, list[float] or list[list[float]].")
    description: str = Field(description="What it is, in a few words.")
    unit: str = Field(description="Unit, such as fs or 1/cm; `1` for a plain number, empty for what has no unit.")


class ToolContract(BaseModel, extra="forbid"):
    """A tool in the abstract: what goes in, what comes out, and what must hold."""

    name: str = Field(pattern=TOOL_NAME, max_length=60, description="Name of the tool and its function, in snake_case.")
    purpose: str = Field(description="What it gives, in one sentence, for any task and not for one.")
    package: str = Field(description="Distribution that does the work, such as qutip; `numpy` if plain arrays do.")
    method: str = Field(description="Algorithm or functions to use, and the conventions that matter.")
    inputs: list[Parameter] = Field(description="Fields of the input, in order.")
    outputs: list[Parameter] = Field(description="Fields of the output, in order.")
    invariants: list[str] = Field(description="What physics or mathematics demands of the output; tests check these.")


@dataclass(frozen=True, slots=True)
class Candidate:
    """A draft of a tool: its contract, its source and its tests, not yet admitted.

    The source defines one public function named as the contract, which takes one pydantic model and returns one.
    The tests are pytest functions that import it as ``from tools.<name> import ...``. One is called
    ``test_invariant_*`` at least, and one ``test_error_*``.
    """

    contract: ToolContract
    source: str
    tests: str

    @property
    def name(self) -> str:
        """Of the tool, its module and its function."""
        return self.contract.name

    @property
    def sha256(self) -> str:
        """Of source and tests together: what a gate's report is about."""
        return hashlib.sha256(f"{self.name}\0{self.source}\0{self.tests}".encode()).hexdigest()
