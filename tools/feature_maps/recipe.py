"""A feature map as a recipe: the few choices from which many maps can be written down, mutated and compared.

A recipe is one way to say an idea so that code can be written from it without a model. An idea that does not fit
the grammar has no recipe, and its code is written by whoever had it.
"""

from __future__ import annotations

import math
from typing import Literal, get_args

from pydantic import BaseModel, ConfigDict, Field

from labwright.tools.feature_maps.circuit import Angle, Circuit, Gate

Axis = Literal["RX", "RY", "RZ"]
Start = Literal["zero", "hadamard"]
Entangler = Literal["none", "CNOT", "CZ", "ISWAP", "IsingZZ", "IsingXX", "CRX", "CRZ"]
Pattern = Literal["ring", "line", "pairs", "skip"]

AXES: tuple[Axis, ...] = get_args(Axis)
STARTS: tuple[Start, ...] = get_args(Start)
ENTANGLERS: tuple[Entangler, ...] = get_args(Entangler)
PATTERNS: tuple[Pattern, ...] = get_args(Pattern)
MOST_SCALE = 60.0  # rad; components that keep their variance need large angles
TURNED = frozenset({"IsingZZ", "IsingXX", "CRX", "CRZ"})  # the entanglers that take an angle


class Recipe(BaseModel):
    """Layers of rotations with an entangler between them; features are taken in the order of their PCA rank.

    Block b (from 0) holds the next `n_qubits` features, one a wire. The angle of its feature x, which has the feature
    y of the next block behind it on the same wire, is
    ``scale * decay**b * (x - centre + mixing * (y - centre)) + offset`` (rad); without such a y its term is left out.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)
    start: Start = Field(description="State of every qubit before the first block: |0> or a Hadamard.")
    axes: list[Axis] = Field(min_length=1, max_length=4, description="Axis of block b is axes[b mod length].")
    scale: float = Field(gt=0, le=MOST_SCALE, description="Angle per unit of a feature of the first block, rad.")
    decay: float = Field(gt=0, le=1, description="Factor by which that falls from one block to the next.")
    centre: float = Field(ge=0, le=1, description="Value of a feature whose angle is `offset`; 0.5: mid-range.")
    offset: float = Field(ge=-6.3, le=6.3, description="Added to every data angle, rad; the same in every block.")
    entangler: Entangler = Field(description="Two-qubit gate between blocks; none after the very last block.")
    entangler_angle: float = Field(ge=-6.3, le=6.3, description="Angle of IsingZZ, IsingXX, CRX, CRZ, rad; else 0.")
    pattern: Pattern = Field(
        description="Pairs that a layer joins, control first, in this order, n wires. line: (0,1), (1,2) .. (n-2,n-1);"
        " ring: the same, then (n-1,0) if n > 2; pairs: (0,1), (2,3) ..; skip: (0,2), (1,3) .. (n-3,n-1)."
    )
    every: int = Field(
        ge=1, le=8, description="An entangling layer stands after every so many blocks, counted on through repeats."
    )
    repeats: int = Field(
        ge=1, le=4, description="How often all blocks are applied; each time b, axes and decay begin anew at block 0."
    )
    mixing: float = Field(
        ge=-1,
        le=1,
        description="Weight of the next block's feature on the same wire, added to each angle; 0: none. Where there is"
        " no such feature, as in the last block, nothing is added.",
    )

    def gates(self) -> set[str]:
        """The gates that it uses, as PennyLane spells them."""
        return {*self.axes, self.entangler, *(["Hadamard"] if self.start == "hadamard" else [])} - {"none"}


def tidied(recipe: Recipe) -> Recipe:
    """The same map with its idle choices set plainly and its numbers short, so that equal maps look equal."""
    changes: dict[str, object] = {name: _short(getattr(recipe, name)) for name in ("centre", "offset", "mixing")}
    changes["scale"], changes["decay"] = max(round(recipe.scale, 3), 0.001), max(round(recipe.decay, 3), 0.001)
    changes["axes"] = _shortest_period(recipe.axes)
    turned = recipe.entangler in TURNED
    changes["entangler_angle"] = _short(recipe.entangler_angle) if turned else 0.0
    if recipe.entangler == "none":
        changes |= {"pattern": "ring", "every": 1}
    return recipe.model_copy(update=changes)


def _short(number: float) -> float:
    return round(number, 3) + 0.0  # adding zero turns -0.0, which equals 0.0 but is written otherwise, into 0.0


def _shortest_period(axes: list[Axis]) -> list[Axis]:
    for length in range(1, len(axes)):
        if len(axes) % length == 0 and axes == axes[:length] * (len(axes) // length):
            return axes[:length]
    return list(axes)


def n_blocks(n_qubits: int, n_features: int) -> int:
    """How many blocks of `n_qubits` features there are; the last one may be shorter."""
    return -(-n_features // n_qubits)


def pairs(pattern: Pattern, n_qubits: int) -> list[tuple[int, int]]:
    """Wires that an entangling layer joins, controls first, in the order in which they are joined."""
    if pattern == "ring":
        closed = n_qubits if n_qubits > 2 else n_qubits - 1  # with two wires the ring would undo itself
        return [(wire, (wire + 1) % n_qubits) for wire in range(closed)]
    if pattern == "line":
        return [(wire, wire + 1) for wire in range(n_qubits - 1)]
    if pattern == "pairs":
        return [(wire, wire + 1) for wire in range(0, n_qubits - 1, 2)]
    return [(wire, wire + 2) for wire in range(n_qubits - 2)]


def circuit_of(recipe: Recipe, n_qubits: int, n_features: int) -> Circuit:
    """The circuit that a recipe stands for, without any code in between.

    No entangling layer stands at the very end, since it would cancel in the kernel.
    """
    gates = [Gate("Hadamard", (wire,)) for wire in range(n_qubits)] if recipe.start == "hadamard" else []
    blocks = n_blocks(n_qubits, n_features)
    for layer in range(1, recipe.repeats * blocks + 1):
        gates += _block(recipe, (layer - 1) % blocks, n_qubits, n_features)
        if layer % recipe.every == 0 and layer < recipe.repeats * blocks:
            gates += _entangling_layer(recipe, n_qubits)
    return Circuit(n_qubits, n_features, tuple(gates))


def _block(recipe: Recipe, block: int, n_qubits: int, n_features: int) -> list[Gate]:
    axis, weight = recipe.axes[block % len(recipe.axes)], recipe.scale * recipe.decay**block
    gates = []
    for feature in range(block * n_qubits, min((block + 1) * n_qubits, n_features)):
        weights = {feature: weight}
        if recipe.mixing and feature + n_qubits < n_features:
            weights[feature + n_qubits] = weight * recipe.mixing
        offset = recipe.offset - recipe.centre * math.fsum(weights.values())
        gates.append(Gate(axis, (feature - block * n_qubits,), (Angle(tuple(weights.items()), offset),)))
    return gates


def _entangling_layer(recipe: Recipe, n_qubits: int) -> list[Gate]:
    if recipe.entangler == "none":
        return []
    angles = (Angle((), recipe.entangler_angle),) if recipe.entangler in TURNED else ()
    return [Gate(recipe.entangler, pair, angles) for pair in pairs(recipe.pattern, n_qubits)]


def distance(one: Recipe, other: Recipe) -> float:
    """How unlike two recipes are: 0 for equal ones, about 1 for each choice that differs.

    Scale and decay count by their ratio: 1 for a factor of e.
    """
    a, b = tidied(one), tidied(other)
    differ = [getattr(a, name) != getattr(b, name) for name in ("start", "axes", "entangler", "pattern", "every")]
    logs = [abs(math.log(getattr(a, name) / getattr(b, name))) for name in ("scale", "decay")]
    shifts = [abs(getattr(a, name) - getattr(b, name)) for name in ("centre", "offset", "entangler_angle", "mixing")]
    return float(sum(differ) + sum(logs) + sum(shifts) + abs(a.repeats - b.repeats))
