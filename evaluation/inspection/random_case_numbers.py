"""Numbers of a case, drawn so that the two halves share neither a seed nor a value.

A range is cut into ten cells; the development half draws from the even ones, the sealed half from the odd ones.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from typing import Literal, TypeVar

import numpy as np

Split = Literal["dev", "sealed"]
T = TypeVar("T")
CELLS = 10
FIRST_SEED = {"dev": 1_000_000, "sealed": 2_000_000}


class Draw:
    """One case's own stream of random numbers."""

    def __init__(self, split: Split, kind: str, number: int) -> None:
        self.split: Split = split
        self.seed = FIRST_SEED[split] + zlib.crc32(f"{kind}/{number}".encode()) % 1_000_000
        self.rng = np.random.Generator(np.random.Philox(self.seed))

    def between(self, low: float, high: float) -> float:
        """A number of `low` .. `high`, from this half's cells."""
        cell = 2 * int(self.rng.integers(CELLS // 2)) + (self.split == "sealed")
        return low + (high - low) * (cell + float(self.rng.random())) / CELLS

    def whole(self, low: int, high: int) -> int:
        """A whole number of `low` .. `high`, from this half's cells."""
        return round(self.between(low, high))

    def sign(self) -> float:
        """Plus or minus one."""
        return float(1 - 2 * self.rng.integers(2))

    def one_of(self, values: Sequence[T]) -> T:
        """One of `values`."""
        return values[int(self.rng.integers(len(values)))]
