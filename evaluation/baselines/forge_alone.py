"""The control for tool forging: one agent with files and a shell in the same sandbox, and nothing else of ours."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field

from labwright.agents.call import Refusal
from labwright.agents.workspace_task import InWorkspace, WorkspaceTask
from labwright.tools.workspace.workspace import Workspace


class AloneIn(BaseModel):
    """The task's words."""

    task: str


class AloneOut(BaseModel):
    """What was done."""

    model_config = ConfigDict(extra="forbid")
    scripts: list[InWorkspace] = Field(description="Paths of the scripts that recorded the results.")
    summary: str = Field(description="What came out, in two or three sentences.")


def _no_rules(_given: AloneIn, _workspace: Workspace) -> Refusal:
    return Refusal(reason="Without a model nobody writes the scripts.")


FORGE_ALONE = WorkspaceTask(
    "evaluation.forge_alone",
    "evaluation/forge_alone.md",
    AloneIn,
    AloneOut,
    _no_rules,
    abilities=frozenset({"write", "run"}),
)
