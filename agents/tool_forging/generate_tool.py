"""The tool generator: from a contract to a source and tests that can pass the gate, in one answer."""

from __future__ import annotations

from pydantic import BaseModel, Field

from labwright.agents.tool_forging.known_task_types import STANDARD, Known
from labwright.agents.typed_call import AgentCall, Refusal
from labwright.tools.forge.toolset.contract import ToolContract


class Draft(BaseModel):
    """A tool as its writer hands it in."""

    source: str = Field(description="Text of <name>.py.")
    tests: str = Field(description="Text of test_<name>.py.")
    notes: str = Field(
        description="Which functions of the package do the work, which choice a reviewer should know, and why a finding"
        " that was not followed is wrong."
    )


class GenerateIn(BaseModel):
    """A tool to write, or to mend."""

    contract: ToolContract
    pitfalls: list[str] = Field(default_factory=list, description="Conventions and traps that the analysis names.")
    library: str = Field(default="", description="Functions of the package that may do the work, with signatures.")
    draft: Draft | None = Field(default=None, description="The draft that is there; null for a new tool.")
    findings: list[str] = Field(default_factory=list, description="What gate or reviewer found in that draft.")


def generate_by_rules(given: GenerateIn, known: Known = STANDARD) -> Draft | Refusal:
    """The recipe as it stands in the book; rules invent no tool and mend none."""
    name = given.contract.name
    if given.findings:
        return Refusal(
            reason=f"The recipe {name} did not pass: {' '.join(given.findings)} Rules mend no tool; a model can."
        )
    if known.toolbox.find(name) is None:
        return Refusal(
            reason=f"no recipe for: {name}. Rules write tools of the recipe book only; a model can write others."
        )
    candidate = known.toolbox.candidate(name)
    notes = f"Recipe of the book, on {candidate.contract.package}."
    return Draft(source=candidate.source, tests=candidate.tests, notes=notes)


GENERATE = AgentCall(
    "tool_forging.generate_tool",
    "tool_forging/generate_tool.md",
    GenerateIn,
    Draft,
    generate_by_rules,
    tier="reasoning",
)
