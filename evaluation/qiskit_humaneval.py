"""Suite `qiskit-humaneval`: published Qiskit tasks through the forge, tested in the sandbox with the published tests.

`--data` names ``dataset_qiskit_test_human_eval.json``, or ``..._hard.json``, of qiskit-community/qiskit-human-eval
(Vishwakarma and others, arXiv:2406.14712; Apache-2.0): a list of ``{task_id, prompt, canonical_solution, test,
entry_point, difficulty_scale}``. A prompt is code with a docstring, or words where the set is the hard one. The forge
leaves ``solution.py``; beside it, the published solution is tested in the same way. Tasks whose packages are not
installed are left out and counted.
"""

from __future__ import annotations

import ast
import secrets
from collections.abc import Iterator
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from labwright.evaluation.forge.running import spent, told
from labwright.evaluation.language_suites import given_of, outcome_of
from labwright.evaluation.published_questions import CHOOSES, OPTIONS, Case, Item, chosen, load, path_of
from labwright.evaluation.runner import Context, Options, Row, Suite
from labwright.graphs.tool_forging.choices import Choices
from labwright.graphs.tool_forging.running import ForgeRequest, start
from labwright.tools.errors import InputError
from labwright.tools.sandbox import Limits, open_sandbox, run_in_folder

WHAT = "Qiskit HumanEval's file, dataset_qiskit_test_human_eval.json"
SOLUTION = "solution.py"
TASK = """{prompt}

## What to deliver

`{solution}` in the workspace: a module with the function `{name}` as described above, and with all imports that it
needs. Importing it prints nothing and draws nothing. Others will import it and test the function with inputs of their
own. Another script calls it once with an input of its choice.

## results.json

- `called`: 1 once the function has returned
"""


class Task(Item):
    """A published task with its tests."""

    task_id: str
    prompt: str
    canonical_solution: str
    test: str
    entry_point: str
    difficulty_scale: str

    @property
    def key(self) -> str:
        """Its published name."""
        return self.task_id

    @property
    def head(self) -> str:
        """The prompt if it is code: imports that the tests use too, and a function without a body."""
        try:
            ast.parse(self.prompt)
        except SyntaxError:
            return ""
        return self.prompt

    @property
    def published(self) -> str:
        """The published solution as a module."""
        return f"{self.head}{self.canonical_solution}"

    @property
    def missing(self) -> list[str]:
        """Packages of the published code that are not installed."""
        return [name for name in sorted(set(_packages(f"{self.published}\n{self.test}"))) if find_spec(name) is None]


def _packages(source: str) -> Iterator[str]:
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (one.name.partition(".")[0] for one in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module.partition(".")[0]


@cache
def tasks(path: str) -> dict[str, Task]:
    """The tasks of the file.

    Raises:
        InputError: Qiskit is not installed, or the file is not what was published.
    """
    found = load(path, Task, WHAT)
    if find_spec("qiskit") is None:
        raise InputError("The tests of these tasks need Qiskit: pip install 'labwright[public]'.")
    return found


def cases_of(options: Options) -> list[Case]:
    """The tasks whose packages are installed."""
    found = tasks(path_of(options, WHAT))
    return chosen([name for name, task in found.items() if not task.missing], options)


def run(case: Case, context: Context) -> Row:
    """Forge for one task, and test what it left."""
    task, options = tasks(path_of(context.options, WHAT))[case.name], context.options
    text = TASK.format(prompt=task.prompt, solution=SOLUTION, name=task.entry_point)
    toolset = str(context.folder / "toolset")
    choices = Choices(mind=options["mind"], mode=options["mode"], toolset=toolset, approval="auto", answers="defaults")
    outcome = start(ForgeRequest(text, {}, choices), context.folder / "runs")
    left = outcome.run_dir / "workspace" / SOLUTION
    why = told(outcome)[:300]
    if left.is_file() and not left.is_symlink():
        why = why_not(task, left.read_text(encoding="utf-8", errors="replace"), context.folder / "tested")
    given = given_of(outcome.status)
    return {**spent(outcome), "passed": not why and given == "done", "outcome": outcome_of(not why, given),
            "difficulty": task.difficulty_scale, "faults": why}  # fmt: skip


def published(case: Case, context: Context) -> Row:
    """The published solution, tested in the same way: what is right here may fail with the installed versions."""
    task = tasks(path_of(context.options, WHAT))[case.name]
    why = why_not(task, task.published, context.folder)
    return {"passed": not why, "difficulty": task.difficulty_scale, "faults": why}


def why_not(task: Task, solution: str, folder: Path) -> str:
    """Why a solution fails the published tests, in a line; empty if it passes them."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / SOLUTION).write_text(solution, encoding="utf-8")
    passed = secrets.token_hex(8)  # printed at the end only, so that a module that exits has not passed
    call = "" if not task.head else f"\ncheck({task.entry_point})"
    lines = [task.head, "from solution import *", f"from solution import {task.entry_point}", task.test + call]
    (folder / "judge.py").write_text("\n".join([*lines, f"print({passed!r})", ""]), encoding="utf-8")
    limits = Limits(cpu_seconds=120, wall_seconds=180, file_mb=64)
    done = run_in_folder(
        open_sandbox(report=lambda _line: None), ["python", "judge.py"], folder, limits=limits
    ).completed
    if done.stdout.decode(errors="replace").rstrip().endswith(passed):
        return ""
    errors = done.stderr.decode(errors="replace").strip().splitlines()
    return (errors[-1] if errors else f"ended as {done.ending}")[:300]


def summarise(rows: list[Row], context: Context) -> dict[str, Any]:
    """Passed by difficulty, and what was left out."""
    found = tasks(path_of(context.options, WHAT))
    left = [name for task in found.values() for name in task.missing[:1]]
    levels = {
        level: [row["passed"] for row in rows if row["difficulty"] == level]
        for level in ("basic", "intermediate", "difficult")
    }
    notes = [f"{left.count(name)} of {len(found)} tasks were left out: they need {name}" for name in sorted(set(left))]
    return {"summary": {level: f"{sum(held)} of {len(held)}" for level, held in levels.items() if held}, "notes": notes}


SUITE = Suite(
    name="qiskit-humaneval",
    doc="Published Qiskit tasks through the forge, with their published tests (--data FILE)",
    cases=cases_of,
    run=run,
    options={**OPTIONS, "mode": "forge"},
    beside=lambda _options: {"published solution": published},
    summarise=summarise,
    chooses=CHOOSES,
    columns=("case", "difficulty", "passed", "outcome", "calls", "made", "faults"),
)
