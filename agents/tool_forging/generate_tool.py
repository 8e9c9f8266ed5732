"""The tool generator: from a contract to a source and tests that can pass the gate."""

from __future__ import annotations

import ast

from pydantic import BaseModel, Field

from labwright.agents.call import Refusal
from labwright.agents.tool_forging.known import STANDARD, Known
from labwright.agents.workspace_task import InWorkspace, WorkspaceTask
from labwright.tools.errors import InputError
from labwright.tools.forge.contract import ToolContract
from labwright.tools.forge.workspace import Workspace


class GenerateIn(BaseModel):
    """A tool to write, or to mend."""

    contract: ToolContract
    folder: str = Field(description="Where the draft belongs, such as tool_smith/task_1.")
    findings: list[str] = Field(
        default_factory=list,
        description="What gate or reviewer found in the draft that is there; empty for a new tool.",
    )


class Generated(BaseModel):
    """A draft that is ready for the gate."""

    source: InWorkspace = Field(description="Path of the tool, <folder>/<name>.py.")
    tests: InWorkspace = Field(description="Path of its tests, <folder>/test_<name>.py.")
    notes: str = Field(
        description="Which functions of the package do the work, and which choice a reviewer should know."
    )


def paths_of(folder: str, name: str) -> tuple[str, str]:
    """Where source and tests of a draft belong."""
    return f"{folder}/{name}.py", f"{folder}/test_{name}.py"


def generate_by_rules(given: GenerateIn, workspace: Workspace, known: Known = STANDARD) -> Generated | Refusal:
    """The recipe as it stands in the book; rules invent no tool and mend none."""
    name = given.contract.name
    if given.findings:
        return Refusal(
            reason=f"The recipe {name} did not pass: {' '.join(given.findings)} Rules mend no tool; a model can."
        )
    if known.book.find(name) is None:
        return Refusal(
            reason=f"no recipe for: {name}. Rules write tools of the recipe book only; a model can write others."
        )
    candidate = known.book.candidate(name)
    source, tests = paths_of(given.folder, given.contract.name)
    workspace.files.write(source, candidate.source)
    workspace.files.write(tests, candidate.tests)
    return Generated(source=source, tests=tests, notes=f"Recipe of the book, on {candidate.contract.package}.")


def check_generated(given: GenerateIn, answer: Generated, workspace: Workspace) -> list[str]:
    """The two files are where they belong and are what they are called. The rest is the gate's."""
    source, tests = paths_of(given.folder, given.contract.name)
    found = [f"`source` must be {source}."] if answer.source != source else []
    found += [f"`tests` must be {tests}."] if answer.tests != tests else []
    tool, proof = _functions(source, workspace, found), _functions(tests, workspace, found)
    if tool is not None and given.contract.name not in tool:
        found.append(f"{source} defines no function {given.contract.name}.")
    for prefix in ("test_invariant_", "test_error_"):
        if proof is not None and not any(name.startswith(prefix) for name in proof):
            found.append(f"{tests} has no test called {prefix}*.")
    return found


def _functions(path: str, workspace: Workspace, found: list[str]) -> set[str] | None:
    """The functions of a file; None where it cannot be read, and then `found` says why."""
    try:
        tree = ast.parse(workspace.files.text(path))
    except InputError as absent:
        found.append(f"{absent} Write it.")
    except SyntaxError as wrong:
        found.append(f"{path} does not parse, line {wrong.lineno}: {wrong.msg}.")
    else:
        return {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
    return None


GENERATE = WorkspaceTask(
    "tool_forging.generate_tool",
    "tool_forging/generate_tool.md",
    GenerateIn,
    Generated,
    generate_by_rules,
    check_generated,
    "reasoning",
    abilities=frozenset({"write", "run", "view_image", "packages", "skills"}),
    writable=("{folder}",),
    steps=60,
)
