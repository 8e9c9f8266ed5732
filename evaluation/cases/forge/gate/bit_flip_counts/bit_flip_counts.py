"""Expected counts of measured bit strings with independent readout errors.

Bit q of each word, counted from the left, is read wrong with probability p_q, whichever its value:
expected(word) = sum over words w of counts(w) prod_q (p_q if word and w differ at q else 1 - p_q). The matrix of each bit,
[[1 - p, p], [p, 1 - p]], acts on its axis of the table of counts; nothing is drawn at random. All words are listed.

Source: M. R. Geller and M. Sun, Quantum Sci. Technol. 6, 025009 (2021).
"""

from itertools import product

import numpy as np
from pydantic import BaseModel, Field


class BitFlipCountsInput(BaseModel, allow_inf_nan=False):
    """Ideal counts and flip probabilities."""

    counts: dict[str, int] = Field(min_length=1, description="Ideal number of each word of 0 and 1; words not given have none.")
    flip_probabilities: list[float] = Field(
        min_length=1, max_length=16, description="Probability that each bit of a word, from the left, is read wrong."
    )


class BitFlipCountsOutput(BaseModel):
    """Expected counts."""

    expected_counts: dict[str, float] = Field(description="Expected number of each word, for all words in ascending order.")


def bit_flip_counts(given: BitFlipCountsInput) -> BitFlipCountsOutput:
    """Expected counts after each bit is read wrong with its own probability."""
    bits = len(given.flip_probabilities)
    if min(given.flip_probabilities) < 0 or max(given.flip_probabilities) > 1:
        raise ValueError("every flip probability must lie between 0 and 1")
    table = np.zeros((2,) * bits)
    for word, count in given.counts.items():
        if len(word) != bits or set(word) - set("01"):
            raise ValueError(f"{word!r} is not a word of {bits} bits 0 and 1, one for each flip probability")
        if count < 0:
            raise ValueError(f"the count of {word!r} is negative")
        table[tuple(int(bit) for bit in word)] = count
    for axis, p in enumerate(given.flip_probabilities):
        table = (1 - p) * table + p * np.flip(table, axis=axis)
    words = ["".join(word) for word in product("01", repeat=bits)]
    return BitFlipCountsOutput(expected_counts=dict(zip(words, table.ravel().tolist(), strict=True)))
