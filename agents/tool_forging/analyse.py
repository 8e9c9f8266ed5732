"""The tool analyser: the stages of a task, the tools to reuse, and contracts for those that are missing."""

from __future__ import annotations

import ast
from pathlib import PurePosixPath
from typing import Literal

from pydantic import BaseModel, Field

from labwright.agents.tool_forging.card_suggestions import handed_back
from labwright.agents.tool_forging.known_task_types import STANDARD, Known
from labwright.agents.typed_call import Refusal
from labwright.agents.workspace_task import WorkspaceTask
from labwright.tools.forge.toolset.contract import ToolContract
from labwright.tools.forge.toolset.optional_dependencies import how_to_install, missing
from labwright.tools.workspace.workspace import TOOLS, Workspace

Mode = Literal["forge", "reuse", "direct"]


class Stage(BaseModel):
    """One step of the calculation."""

    purpose: str = Field(description="What is computed, in one sentence.")
    tool: str = Field(description="Name of the tool that does it; empty if a script does it alone.")


class Analysis(BaseModel):
    """How a task will be done, and with which tools."""

    stages: list[Stage] = Field(min_length=1, description="In order.")
    reuse: list[str] = Field(description="Tools of tools/ that are used as they are.")
    new: list[ToolContract] = Field(description="Tools that are missing, in the order in which to make them.")
    pitfalls: list[str] = Field(description="Conventions to settle and traps of this calculation, one sentence each.")
    packages: list[str] = Field(description="Distributions that scripts and new tools import.")
    assumptions: list[str] = Field(description="What was settled although the task does not say it, with consequence.")


class AnalyseIn(BaseModel):
    """A task and the way in to what there is."""

    task: str = Field(description="Text of question.md.")
    mode: Mode = Field(default="forge", description="forge: tools may be made; reuse: none; direct: no tools at all.")
    index: str = Field(default="", description="tools/INDEX.md, the top of the toolset only.")
    inputs: list[str] = Field(default_factory=list, description="Names of the files in inputs/.")
    plan: str = Field(default="", description="What the last evaluation wants done; empty the first time.")
    rejected: list[str] = Field(
        default_factory=list,
        description="Why tools of the last plan are not there: refused by gate, reviewer or a person.",
    )
    last: Analysis | None = Field(default=None, description="The last plan, where something has to change in it.")


def tools_there(workspace: Workspace) -> dict[str, str]:
    """Tool -> path of each tool in ``tools/``."""
    if not any(one.path == TOOLS for one in workspace.files.entries()):
        return {}
    paths = (PurePosixPath(one.path) for one in workspace.files.files(TOOLS, "*.py"))
    return {path.stem: str(path) for path in paths if not path.stem.startswith(("_", "test_"))}


def module_of(path: str) -> str:
    """How a script imports the tool at a path: ``tools/dynamics/x.py`` is ``tools.dynamics.x``."""
    return ".".join(PurePosixPath(path).with_suffix("").parts)


def analyse_by_rules(given: AnalyseIn, workspace: Workspace, known: Known = STANDARD) -> Analysis | Refusal:
    """A card's family names the recipes; words are handed back."""
    found = known.card(given.task)
    if found is None:
        return Refusal(reason=handed_back(given.task))
    family, card = found
    needs = dict(family.tools(card.compiled()))
    there = tools_there(workspace)
    contracts = {name: known.toolbox.find(name) for name in needs}
    if refusal := _unmet(given, contracts, there, given.mode):
        return refusal
    recipes = [contract for contract in contracts.values() if contract is not None]
    fresh = [] if given.mode != "forge" else [one for one in recipes if one.name not in there]
    direct = given.mode == "direct"
    return Analysis(
        stages=[Stage(purpose=why, tool="" if direct else name) for name, why in needs.items()]
        or [Stage(purpose=f"Do the task as the family {family.name} does it.", tool="")],
        reuse=[] if direct else [name for name in needs if name in there],
        new=fresh,
        pitfalls=[one.method for one in recipes if one.method],
        packages=list(dict.fromkeys(one.package for one in recipes if one.package)),
        assumptions=card.unsaid(),
    )


def _unmet(
    given: AnalyseIn, contracts: dict[str, ToolContract | None], there: dict[str, str], mode: Mode
) -> Refusal | None:
    absent = [name for name, contract in contracts.items() if contract is None and name not in there]
    if absent:
        return Refusal(
            reason=f"no recipe for: {', '.join(absent)}. The recipe book does not have what this task needs."
        )
    unmade = [name for name in contracts if name not in there]
    if mode == "reuse" and unmade:
        return Refusal(reason=f"The toolset has no {', '.join(unmade)}, and `reuse` makes none. Use `--mode forge`.")
    lacking = missing(one.package for one in contracts.values() if one is not None)
    if lacking:
        return Refusal(reason=f"This task needs {', '.join(lacking)}. Install it: {how_to_install(lacking)}")
    return None


def check_analysis(given: AnalyseIn, answer: Analysis, workspace: Workspace) -> list[str]:
    """Every tool of a stage exists or is asked for; nothing is asked for twice, nor where nothing may be made."""
    there = tools_there(workspace)
    new = [one.name for one in answer.new]
    found = [f"tools/ has no {name}, so it cannot be reused." for name in answer.reuse if name not in there]
    found += [
        f"{name} is in tools/ already; reuse it, or name the new tool otherwise." for name in new if name in there
    ]
    found += [f"{name} is asked for twice." for name in dict.fromkeys(new) if new.count(name) > 1]
    if answer.new and given.mode != "forge":
        found.append(f"In the mode `{given.mode}` no tool is made: leave `new` empty.")
    known = {"", *answer.reuse, *new}
    strange = sorted({stage.tool for stage in answer.stages if stage.tool not in known})
    found += [f"The tool {name} of a stage is neither in `reuse` nor in `new`." for name in strange]
    if lacking := missing([*answer.packages, *(one.package for one in answer.new)]):
        found.append(
            f"Not installed: {', '.join(lacking)}. Plan with what is, or refuse and name: {how_to_install(lacking)}"
        )
    return [*found, *_thin(answer.new)]


def _thin(contracts: list[ToolContract]) -> list[str]:
    found = []
    for one in contracts:
        if not one.inputs or not one.outputs:
            found.append(f"The contract of {one.name} has no inputs or no outputs.")
        if not one.invariants:
            found.append(f"The contract of {one.name} names no invariant, so its tests could not prove anything.")
        found += [
            f"The type of {field.name} in the contract of {one.name} must be a Python type such as list[float], "
            f"but is {field.type!r}."
            for field in (*one.inputs, *one.outputs)
            if not _reads_as_type(field.type)
        ]
    return found


def _reads_as_type(text: str) -> bool:
    """Whether a model's field could be annotated with it; words in a row or a bare number are no type."""
    try:
        tree = ast.parse(text.strip(), mode="eval").body
    except SyntaxError:
        return False
    return isinstance(tree, ast.Name | ast.Attribute | ast.Subscript | ast.BinOp) or text.strip() == "None"


ANALYSE = WorkspaceTask(
    "tool_forging.analyse",
    "tool_forging/analyse.md",
    AnalyseIn,
    Analysis,
    analyse_by_rules,
    check_analysis,
    "reasoning",
    abilities=frozenset({"run", "packages", "skills"}),
    writable=(),
    steps=40,
)
