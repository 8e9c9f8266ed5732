"""The benchmark's tasks: a text, its input files, and what is known about it. All of it is data in ``cases/forge``."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Literal

from labwright.tools.errors import InputError
from labwright.tools.plain_yaml import read_yaml

CASES = Path(__file__).resolve().parents[1] / "cases" / "forge"
Set = Literal["dynamics", "chemistry"]
# One importable package of each extra tells whether the extra is installed.
EXTRAS = {"dynamics": ("tenpy", "qiskit", "tequila", "qutip_qtrl"), "chem": ("pyscf", "rdkit"), "cudaq": ("cudaq",)}


@dataclass(frozen=True, slots=True)
class Task:
    """One task.

    Attributes:
        name: such as ``dynamics/01_bell_state``.
        kind: what sort of problem.
        paper: where the paper prints it.
        extras: optional dependencies that its packages belong to.
        seconds: what the science alone is expected to take on two cores.
        nightly: too long for a default run.
    """

    name: str
    kind: str
    paper: str = ""
    extras: tuple[str, ...] = ()
    seconds: float = 0.0
    nightly: bool = False

    @property
    def folder(self) -> Path:
        """Where its files are."""
        return CASES / self.name

    @property
    def text(self) -> str:
        """The task in words: what question.md holds."""
        return (self.folder / "question.md").read_text(encoding="utf-8")

    @property
    def card(self) -> str:
        """The task as a card; empty where there is none."""
        path = self.folder / "card.yaml"
        return path.read_text(encoding="utf-8") if path.exists() else ""

    @property
    def inputs(self) -> dict[str, bytes]:
        """Name -> content of the files that come with it."""
        folder = self.folder / "inputs"
        return {path.name: path.read_bytes() for path in sorted(folder.glob("*"))} if folder.is_dir() else {}

    @property
    def missing_extras(self) -> list[str]:
        """Extras that are not installed here."""
        return [extra for extra in self.extras if any(find_spec(package) is None for package in EXTRAS[extra])]


@cache
def load_tasks(which: Set) -> tuple[Task, ...]:
    """The tasks of one set in order, which is the order of the paper's curriculum."""
    found = []
    for folder in sorted(path.parent for path in (CASES / which).glob("*/task.yaml")):
        plain = read_yaml((folder / "task.yaml").read_text(encoding="utf-8"))
        plain["extras"] = tuple(plain.get("extras", ()))
        found.append(Task(name=f"{which}/{folder.name}", **plain))
    return tuple(found)


def chosen(which: Set, names: list[str] | None = None, nightly: bool = False) -> list[Task]:
    """Tasks by number or part of the name; without names all that are not nightly, or all with `nightly`.

    Raises:
        InputError: no task is called so.
    """
    tasks = load_tasks(which)
    if not names:
        return [task for task in tasks if nightly or not task.nightly]
    kept = []
    for name in names:
        hits = [task for task in tasks if name in task.name.partition("/")[2]]
        if not hits:
            known = ", ".join(task.name.partition("/")[2] for task in tasks)
            raise InputError(f"There is no task {name!r} in {which}. Tasks are: {known}.")
        kept += [task for task in hits if task not in kept]
    return kept
