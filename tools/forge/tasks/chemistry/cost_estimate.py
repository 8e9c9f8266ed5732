"""What a card takes before it is begun: processor hours and scratch of each molecule, scaled from measured times.

Measured with the toolbox and PySCF 2.14 on one thread of a Xeon, 2026-11-27, in seconds of processor time, def2-SVP. An
energy with its gradient by B3LYP: 1.6 (methane, 34 functions), 4.4 (ethane, 58), 11.2 (propane, 82); by Hartree-Fock
with density fitting: 0.33 (58), 0.77 (82), 3.3 (130). Hessians, in gradients an atom: 1.3, 1.5 (B3LYP); 2.5, 3.3
(fitted). C-PCM takes 1.2 times as long, ten TD-DFT states of ethylene (48) 56. Correlation and active spaces are not
in it.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec

from labwright.tools.forge.tasks.chemistry.smiles import counted
from labwright.tools.forge.tasks.chemistry.spec import Level, Species
from labwright.tools.forge.tasks.task_type import Computed

GRADIENTS = 12  # of an optimisation; the acids of the paper took six to twelve
FITTING = 5  # functions of the fitting basis for each of the basis
STATES = 0.3  # gradients that a state of TD-DFT takes for each atom
WORTH = 0.15  # hours from which on it is said


@dataclass(frozen=True, slots=True)
class Cost:
    """Of one molecule: hours of one processor, and gigabytes of scratch, which lies in memory."""

    molecule: str
    functions: int
    hours: float
    scratch: float


def costs(task: Computed) -> list[Cost]:
    """Of every molecule; nothing where PySCF is missing."""
    if find_spec("pyscf") is None or task.scan:
        return []
    return [_cost(task, one) for one in task.species if not one.bare]


def said(task: Computed, seconds: float) -> Iterator[str]:
    """What a person is to know before it begins.

    Args:
        seconds: that a job may take.
    """
    found = costs(task)
    total, worst = sum(one.hours for one in found), max(found, key=lambda one: one.hours, default=None)
    if worst is None or total < WORTH:
        return
    scratch = max(one.scratch for one in found)
    yield (
        f"This card takes about {total:.1f} processor hours, {worst.hours:.1f} of them for {worst.molecule} with"
        f" {worst.functions} basis functions{f', and {scratch:.1f} GB of scratch in memory' if scratch else ''}:"
        " scaled from measured times, good to a factor of two."
    )
    if worst.hours * 3600 > seconds:
        yield f"{worst.molecule} may not be done in the {seconds:g} s that a job may take. Set `job_seconds`."


def _cost(task: Computed, species: Species) -> Cost:
    counts, _ = counted(species.formula)
    atoms, seconds, largest = counts.total(), 0.0, 0
    moves = species.optimise and task.optimise and atoms > 1
    for level in task.levels:
        functions = sum(count * _functions(symbol, level.basis) for symbol, count in counts.items())
        largest = max(largest, functions)
        plain = _gradient(functions, level, fitted=False)
        shape = _gradient(functions, level, fitted=task.fitted_structures)
        hessian = atoms * shape * (3.0 if task.fitted_structures else 1.4) if task.frequencies else 0.0
        once = task.structure_level is None or level is task.levels[0]
        seconds += plain + (shape * GRADIENTS * moves + hessian) * once
        if task.excited:
            seconds += STATES * atoms * plain * (task.excited.n_singlets + task.excited.n_triplets)
    scratch = 96.0 * FITTING * largest**3 / 1e9 if task.fitted_structures and task.frequencies else 0.0
    return Cost(species.name, largest, seconds / 3600, scratch)


def _gradient(functions: int, level: Level, *, fitted: bool) -> float:
    seconds = float(0.33 * (functions / 58) ** 2.8 if fitted else 1.6 * (functions / 34) ** 2.25)
    return seconds * (1.0 if level.solvent_model == "none" else 1.2)


@cache
def _functions(symbol: str, basis: str) -> int:
    from pyscf import gto

    with warnings.catch_warnings(action="ignore"):
        return int(gto.M(atom=symbol, basis=basis, spin=None, verbose=0).nao)
