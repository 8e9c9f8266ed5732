"""The score of a finished workspace: accuracy and methodology, each computed, and their mean."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from labwright.evaluation.forge.accuracy_criteria import chains, circuits, floquet, molecules, open_systems
from labwright.evaluation.forge.criteria import Criterion, check, mean
from labwright.evaluation.forge.methodology import read_methodology, staged
from labwright.evaluation.forge.tasks import Task
from labwright.evaluation.forge.workspace_contents import Workspace, read_workspace
from labwright.tools.plain_yaml import read_yaml

Grader = Callable[[Workspace], list[Criterion]]


# What propagates, simulates or compares figures is code; what compares numbers is data in `expected.yaml`.
COMPUTED: Mapping[str, Grader] = {
    "dynamics/01_bell_state": circuits.bell_state,
    "dynamics/02_h2_vqe": circuits.h2_dissociation,
    "dynamics/03_hubbard_gibbs": chains.hubbard_gibbs,
    "dynamics/04_ising_dynamics": chains.ising_dynamics,
    "dynamics/05_open_qubit": open_systems.open_qubit,
    "dynamics/06_fmo_heom": open_systems.fmo,
    "dynamics/07_grape_lambda": open_systems.grape,
    "dynamics/08_kicked_ising": chains.kicked_ising,
    "dynamics/09_floquet_tdmrg": floquet.floquet_tdmrg,
    "dynamics/10_cluster_string_order": chains.cluster_string_order,
    "dynamics/11_noisy_bell": circuits.noisy_bell_state,
}


@dataclass(frozen=True, slots=True)
class Grade:
    """The score of one run of a task.

    Attributes:
        accuracy: 0 to 1; None where nothing can be held against a reference yet.
        methodology: 0 to 1; 1 where a task names no package.
    """

    accuracy: float | None
    methodology: float | None
    criteria: tuple[Criterion, ...]

    @property
    def score(self) -> float:
        """Mean of accuracy and methodology, of those that there are."""
        known = [part for part in (self.accuracy, self.methodology) if part is not None]
        return sum(known) / len(known) if known else 0.0

    @property
    def right(self) -> bool:
        """Every counted demand of accuracy and methodology is met; half a point is enough where halves are given."""
        counted = [one for one in self.criteria if one.counted]
        return bool(counted) and all(one.score >= 0.5 for one in counted) and self.score >= 0.9

    def plain(self) -> dict[str, Any]:
        """As JSON."""
        return {
            "score": round(self.score, 4),
            "accuracy": None if self.accuracy is None else round(self.accuracy, 4),
            "methodology": None if self.methodology is None else round(self.methodology, 4),
            "right": self.right,
            "criteria": [one.plain() for one in self.criteria],
        }


def accuracy(task: Task, workspace: Workspace) -> list[Criterion]:
    """The criteria of a task's numbers."""
    if task.name in COMPUTED:
        return COMPUTED[task.name](workspace)
    plain = read_yaml((task.folder / "expected.yaml").read_text(encoding="utf-8"))
    return molecules.demanded(molecules.Accuracy.model_validate(plain["accuracy"]), workspace)


def grade(task: Task, folder: Path) -> Grade:
    """Grade what a run left in its workspace."""
    workspace = read_workspace(folder)
    numbers = accuracy(task, workspace)
    methodology = staged(read_methodology(task.folder), workspace)
    return Grade(mean(numbers), mean(methodology), (*numbers, *methodology))


def graded(task: Task, folder: Path, status: str, said: str = "") -> Grade:
    """Grade a run; one that did not come to its end has solved nothing."""
    found = grade(task, folder)
    if status in ("complete", "failed"):
        return found
    nothing = check("E0", "the run came to its end", lambda: (False, f"{status}: {said[:300]}"))
    return Grade(0.0, 0.0, (nothing, *found.criteria))
