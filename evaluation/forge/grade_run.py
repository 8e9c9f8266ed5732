"""Grade a finished forging run against a task, whoever answered its questions.

``python -m labwright.evaluation.forge.grade_run dynamics/05_open_qubit RUN_FOLDER``
"""

from __future__ import annotations

import sys
from pathlib import Path

from labwright.evaluation.forge.grading import Grade, graded
from labwright.evaluation.forge.running import WORKSPACE, told
from labwright.evaluation.forge.tasks import load_tasks
from labwright.graphs.running import Outcome
from labwright.tools.errors import InputError
from labwright.tools.runs import open_run, read_result


def grade_run(name: str, folder: Path) -> Grade:
    """The grade of the run in `folder` as an answer to the task `name`, such as ``dynamics/05_open_qubit``.

    Raises:
        InputError: there is no such task, or the run has not ended.
    """
    known = {task.name: task for task in (*load_tasks("dynamics"), *load_tasks("chemistry"))}
    if name not in known:
        raise InputError(f"There is no task {name!r}. Tasks are: {', '.join(known)}.")
    run = open_run(folder.parent, folder.name)
    document = read_result(run)
    if document is None:
        raise InputError(f"The run {folder.name} has not ended. Go on with: labwright runs resume {folder.name}")
    result, questions = document.get("result", {}), document.get("questions", [])
    outcome = Outcome(
        run.run_id, document["status"], document.get("reason", ""), result, questions, run.folder, document
    )
    return graded(known[name], run.folder / WORKSPACE, outcome.status, told(outcome))


def main() -> None:
    """Print every criterion, and whether the task was done right."""
    grade = grade_run(sys.argv[1], Path(sys.argv[2]).absolute())
    for one in grade.criteria:
        sys.stdout.write(f"{one.score:.2f}  {one.name} {one.demand}: {one.found}\n")
    sys.stdout.write(f"{'right' if grade.right else 'NOT right'}, score {grade.score:.3f}\n")
    sys.exit(not grade.right)


if __name__ == "__main__":
    main()
