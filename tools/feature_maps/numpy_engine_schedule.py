"""In which order, and in which layouts of the state, the numpy engine carries out steps.

Arithmetic of numpy is fast only on long contiguous runs. If a step's wires stand first in the state's layout, its
slices are such runs. So the state is laid out with the wires that are needed next in front, steps that commute are
brought forward as long as their wires are in front, and then the state is laid out anew: one copy for many steps.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from labwright.tools.feature_maps.simulation_steps import Kind, Step

Order = tuple[int, ...]  # the wires, the one with the longest stride first


@dataclass(frozen=True, slots=True)
class Stage:
    """Steps that are carried out in one layout.

    Attributes:
        order: of the wires.
        steps: one after the other.
    """

    order: Order
    steps: tuple[Step, ...]


def schedule(steps: Sequence[Step], n_qubits: int, reach: int) -> list[Stage]:
    """All steps in stages, at least one stage.

    Args:
        steps: of a plan.
        n_qubits: of the circuit.
        reach: how many leading wires have runs that are long enough; at least as many as the largest gate has.
    """
    order = _first_used_first(steps, n_qubits)
    stages = []
    remaining = list(steps)
    while remaining:
        if remaining[0].kind is not Kind.PARITY:  # it can be done in any layout
            order = _first_used_first(remaining, n_qubits)
        taken, remaining = _bring_forward(remaining, set(order[:reach]))
        stages.append(Stage(order, tuple(taken)))
    return stages or [Stage(order, ())]


def _first_used_first(steps: Sequence[Step], n_qubits: int) -> Order:
    used = (wire for step in steps if step.kind is not Kind.PARITY for wire in step.wires)
    return tuple(dict.fromkeys((*used, *range(n_qubits))))


def _bring_forward(steps: list[Step], wires: set[int]) -> tuple[list[Step], list[Step]]:
    """The steps on `wires` that can come now, and the others.

    Two steps commute if neither changes a wire of the other: both are diagonal in the wires that they share.
    """
    now: list[Step] = []
    later: list[Step] = []
    touched: set[int] = set()  # by steps that wait
    turned: set[int] = set()
    for step in steps:
        turns = changed(step)
        near = step.kind is Kind.PARITY or wires.issuperset(step.wires)
        if near and turned.isdisjoint(step.wires) and touched.isdisjoint(turns):
            now.append(step)
        else:
            later.append(step)
            touched.update(step.wires)
            turned |= turns
    return now, later


def changed(step: Step) -> set[int]:
    """The wires whose bits the step changes."""
    bits = step.a ^ step.b if step.b >= 0 else 0
    return {wire for place, wire in enumerate(reversed(step.wires)) if bits >> place & 1}
