"""The merger: one tool out of several, with the tests of all."""

from __future__ import annotations

from pydantic import BaseModel, Field

from labwright.agents.call import Refusal
from labwright.agents.tool_forging.analyse import tools_there
from labwright.agents.tool_forging.generate_tool import Generated, GenerateIn, check_generated, paths_of
from labwright.agents.workspace_task import WorkspaceTask
from labwright.tools.forge.contract import ToolContract
from labwright.tools.forge.workspace import Workspace


class MergeIn(BaseModel):
    """Tools that become one."""

    contract: ToolContract = Field(description="What the one shall be.")
    tools: list[str] = Field(min_length=2, description="Names of the tools in tools/ that it replaces.")
    folder: str = Field(description="Where the draft belongs; the tests of the replaced tools lie there already.")
    findings: list[str] = Field(
        default_factory=list, description="Why the last draft was refused; empty the first time."
    )


def merge_by_rules(given: MergeIn, workspace: Workspace) -> Generated | Refusal:
    """The tool of the cluster that does all that the others do, as it stands; rules write no other."""
    name = given.contract.name
    there = tools_there(workspace)
    source, tests = paths_of(given.folder, name)
    if given.findings:
        return Refusal(reason=f"The merged {name} did not pass: {' '.join(given.findings)} Rules mend no tool.")
    if name not in given.tools or name not in there or not workspace.files.exists(tests):
        return Refusal(
            reason=f"Rules merge only into a tool that is there and does all; {name} would have to be written."
        )
    workspace.files.write(source, workspace.files.text(there[name]))
    return Generated(source=source, tests=tests, notes=f"{name} does all that {', '.join(given.tools)} do.")


def check_merged(given: MergeIn, answer: Generated, workspace: Workspace) -> list[str]:
    """As for a new tool: the files are there and are what they are called."""
    return check_generated(GenerateIn(contract=given.contract, folder=given.folder), answer, workspace)


MERGE = WorkspaceTask(
    "tool_forging.merge_tools",
    "tool_forging/merge_tools.md",
    MergeIn,
    Generated,
    merge_by_rules,
    check_merged,
    "reasoning",
    abilities=frozenset({"write", "run", "packages", "skills"}),
    writable=("{folder}",),
    steps=60,
)
