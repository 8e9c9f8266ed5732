"""The tool reviewer: what the gate cannot see, each finding with its evidence."""

from __future__ import annotations

import ast
import re

from pydantic import BaseModel, Field

from labwright.agents.looks import Looks
from labwright.agents.tool_forging.generate_tool import paths_of
from labwright.agents.tool_forging.interface import Interface, read_interface
from labwright.agents.workspace_task import InWorkspace, WorkspaceTask
from labwright.tools.errors import InputError
from labwright.tools.forge.contract import ToolContract
from labwright.tools.forge.workspace import Workspace


class ReviewIn(BaseModel):
    """A draft that has passed the gate."""

    contract: ToolContract
    folder: str = Field(description="Where the draft lies.")
    gate: str = Field(default="", description="What the gate measured, in words.")
    notes: str = Field(default="", description="What its writer said of it: claims to look into, no evidence.")
    earlier: list[str] = Field(
        default_factory=list,
        description="What an earlier review found, and its writer was to mend; empty the first time.",
    )


class Bug(BaseModel):
    """Something that is wrong."""

    what: str = Field(description="What is wrong, and which input shows it.")
    where: InWorkspace = Field(description="File and line, such as tool_smith/task_1/x.py:40.")
    evidence: str = Field(description="What was run or read, and what came out against what is right.")


class Review(BaseModel):
    """Whether a draft may enter the toolset."""

    approved: bool
    bugs: list[Bug] = Field(description="Empty exactly if approved.")
    reason: str = Field(description="One or two sentences: what was looked at.")


def review_by_rules(given: ReviewIn, workspace: Workspace) -> Review:
    """Source against contract: the same fields go in and come out. The physics was the gate's to test."""
    source, tests = paths_of(given.folder, given.contract.name)
    try:
        have = read_interface(workspace.files.text(source), given.contract.name)
        proofs = _invariants(workspace.files.text(tests))
    except (InputError, SyntaxError) as wrong:
        return _rejected(Bug(what=str(wrong), where=source, evidence="The file was read."))
    bugs = [*_fields(given, have, source)]
    if given.contract.invariants and not proofs:
        bugs.append(
            Bug(what="No invariant of the contract is tested.", where=tests, evidence="No test_invariant_* is there.")
        )
    if bugs:
        return _rejected(*bugs)
    return Review(
        approved=True,
        bugs=[],
        reason=f"Fields as in the contract, {len(proofs)} tests of invariants; the gate has passed.",
    )


def _fields(given: ReviewIn, have: Interface, source: str) -> list[Bug]:
    wanted = {
        f"{have.input}": ({one.name for one in given.contract.inputs}, set(have.inputs)),
        f"{have.output}": ({one.name for one in given.contract.outputs}, set(have.outputs)),
    }
    bugs = []
    for model, (contract, there) in wanted.items():
        if lacking := sorted(contract - there):
            bugs.append(
                Bug(
                    what=f"{model} lacks {', '.join(lacking)}, which the contract names.",
                    where=source,
                    evidence=f"It has {', '.join(sorted(there)) or 'no fields'}.",
                )
            )
    return bugs


def _invariants(tests: str) -> list[str]:
    names = (node.name for node in ast.walk(ast.parse(tests)) if isinstance(node, ast.FunctionDef))
    return [name for name in names if name.startswith("test_invariant_")]


def _rejected(*bugs: Bug) -> Review:
    return Review(approved=False, bugs=list(bugs), reason="The draft does not keep to its contract.")


def check_review(given: ReviewIn, answer: Review, workspace: Workspace) -> list[str]:
    """Approved or with bugs, and each bug at a place that exists, with something that shows it."""
    found = []
    if answer.approved and answer.bugs:
        found.append(
            "A draft with bugs is not approved. Reproduce each bug: where one stands, `approved` is false; one that the"
            " files refute is left out, and `reason` says what refuted it."
        )
    if not answer.approved and not answer.bugs:
        found.append("A draft is rejected for bugs: name each with its place and evidence in `bugs`.")
    for bug in answer.bugs:
        path, _, line = bug.where.partition(":")
        path = path if "/" in path else f"{given.folder}/{path}"  # a bare name is one of the draft's files
        try:
            total = len(workspace.files.text(path).splitlines())
        except InputError:
            if path in paths_of(given.folder, given.contract.name):
                continue  # that it is missing is the bug
            found.append(
                f"`where` of a bug must be <file>:<line> of a file in the workspace, such as"
                f" {paths_of(given.folder, given.contract.name)[0]}:1, but is {bug.where!r}."
            )
            total = 0
        if total and line and not (line.isdecimal() and 1 <= int(line) <= total):
            found.append(f"{path} has {total} lines, so {bug.where!r} is not in it.")
        if len(bug.evidence.split()) < 3:
            found.append(f"The bug at {bug.where} has no evidence: say what was run or read, and what came out.")
    return found


def doubt_review(given: ReviewIn, answer: Review, workspace: Workspace, looks: Looks) -> list[str]:
    """Nobody approves a draft whose source was not read, or that was not run on a case of the reviewer's own."""
    if not answer.approved:
        return []
    if not looks:
        return [f"Nothing was read or run before approving: read {given.folder}, and run the tool on a case you know."]
    name, (source, _) = given.contract.name, paths_of(given.folder, given.contract.name)
    found = []
    if looks.named and source not in looks.read and not any(_prints(command, f"{name}.py") for command in looks.ran):
        found.append(f"You approve, but `{name}.py` was not read: read {source}.")
    if looks.named and not any(_runs(command, name, given.folder, workspace) for command in looks.ran):
        found.append(
            f"You approve, but no run of the tool ended with exit code 0: run `{name}` on a case whose answer you know,"
            f" such as `PYTHONPATH={given.folder} python {given.folder}/review/x.py` with a script that imports it."
        )
    return found


def _prints(command: str, name: str) -> bool:
    """Whether a command shows a file."""
    return re.search(rf"\b(?:cat|sed|head|tail|less|nl)\b[^;|&]*\b{re.escape(name)}", command) is not None


def _runs(command: str, name: str, folder: str, workspace: Workspace) -> bool:
    """Whether a command had Python run the tool: it imports it itself, or in a script that it starts."""
    if re.search(r"\bpython3?\b", command) is None:
        return False
    imports = re.compile(rf"\b(?:import|from)\b[^\n;]*\b{re.escape(name)}\b|import_module\([^)]*\b{re.escape(name)}\b")
    if imports.search(command):
        return True
    for word in re.findall(r"[\w./-]+\.py\b", command):
        for path in (word.lstrip("/"), f"{folder}/{word}", f"{folder}/review/{word}"):  # after `cd`, too
            try:
                if imports.search(workspace.files.text(path)):
                    return True
            except InputError:
                continue
    return False


REVIEW = WorkspaceTask(
    "tool_forging.review_tool",
    "tool_forging/review_tool.md",
    ReviewIn,
    Review,
    review_by_rules,
    check_review,
    "reasoning",
    doubt_review,
    abilities=frozenset({"write", "run", "view_image", "packages", "skills"}),
    writable=("{folder}/review",),
    steps=40,
)
