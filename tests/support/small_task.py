"""A small workspace task for tests: add the two numbers of a sentence, and leave the sum in a file."""

from __future__ import annotations

from pathlib import Path

from add_up import PROMPT, Sentence, Sum, add_by_rules, check_sum

from labwright.agents.typed_call import Question, Refusal
from labwright.agents.workspace_task import ALL, Ability, WorkspaceTask
from labwright.tools.workspace.workspace import Workspace

FILE = "out/sum.txt"


def sum_by_rules(given: Sentence, workspace: Workspace) -> Sum | Question | Refusal:
    reply = add_by_rules(given)
    if isinstance(reply, Sum):
        workspace.files.write(FILE, f"{reply.total:g}\n")
    return reply


def check_file(given: Sentence, answer: Sum, workspace: Workspace) -> list[str]:
    found = check_sum(given, answer)
    there = workspace.files.text(FILE) if workspace.files.exists(FILE) else "nothing"
    return (
        found if there.strip() == f"{answer.total:g}" else [*found, f"{FILE} must hold the sum, but holds {there!r}."]
    )


def summing(
    folder: Path, *, abilities: frozenset[Ability] = ALL, steps: int = 10, seconds: float = 60.0
) -> WorkspaceTask[Sentence, Sum]:
    """The task, with its prompt in `folder`; it may write below ``out/``."""
    path = folder / "sum.md"
    path.write_text(PROMPT, encoding="utf-8")
    return WorkspaceTask(
        "tests.sum",
        str(path),
        Sentence,
        Sum,
        sum_by_rules,
        check_file,
        "general",
        abilities=abilities,
        writable=("out",),
        steps=steps,
        seconds=seconds,
    )


def workspace_in(folder: Path, **more: object) -> Workspace:
    """A workspace with a task, one input and one tool."""
    root = folder / "workspace"
    for name, text in {
        "question.md": "# Add\n\nadd 1 and 2\n",
        "inputs/data.csv": "1,2\n",
        "tools/INDEX.md": "- `double`: twice a number\n",
        "tools/double.py": "def double(x):\n    return 2 * x\n",
    }.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")
    return Workspace(root, **more)  # type: ignore[arg-type]
