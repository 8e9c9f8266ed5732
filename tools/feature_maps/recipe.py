"""A feature map as a recipe: the few choices from which many maps can be written down, mutated and compared.

A recipe is one way to say an idea so that code can be written from it without a model. An idea that does not fit
the grammar has no recipe, and its code is written by whoever had it.
"""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

Axis = Literal["RX", "RY", "RZ"]
Start = Literal["zero", "hadamard"]
Entangler = Literal["none", "CNOT", "CZ", "ISWAP", "IsingZZ", "IsingXX", "CRX", "CRZ"]
Pattern = Literal["ring", "line", "pairs", "skip"]


class Recipe(BaseModel):
    """Layers of rotations with an entangler between them; features are taken in the order of their PCA rank.

    Block b (from 0) holds the next `n_qubits` features, one a wire: the angle of its feature x is
    ``scale * decay**b * x + offset`` (rad).
    """

    model_config = ConfigDict(extra="forbid", frozen=True)
    start: Start = Field(description="State of every qubit before the first block: |0> or a Hadamard.")
    axes: list[Axis] = Field(min_length=1, max_length=4, description="Axis of block b is axes[b mod length].")
    scale: float = Field(gt=0, le=12.6, description="Angle of a feature of the first block at x = 1, rad.")
    decay: float = Field(gt=0, le=1, description="Factor by which the angles fall from one block to the next.")
    offset: float = Field(ge=-6.3, le=6.3, description="Added to every data angle, rad.")
    entangler: Entangler = Field(description="Two-qubit gate between blocks.")
    entangler_angle: float = Field(ge=-6.3, le=6.3, description="Angle of a parametrised entangler, rad; else 0.")
    pattern: Pattern = Field(description="Which pairs of wires the entangler joins.")
    every: int = Field(ge=1, le=8, description="An entangling layer stands after every so many blocks.")
    repeats: int = Field(ge=1, le=4, description="How often the whole encoding is applied.")
    mixing: float = Field(ge=-1, le=1, description="Weight of the next block's feature added to each angle; 0: none.")
