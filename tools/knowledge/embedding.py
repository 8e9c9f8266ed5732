"""A deterministic text embedding without a model: hashed words and character n-grams.

It has the two methods that LangChain's vector stores ask of an embedding, so that any other embedding can stand in
its place.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

WORD_WEIGHT, PAIR_WEIGHT, GRAM_WEIGHT = 1.0, 0.5, 0.25
GRAM = 4  # characters; long enough to tell "rabi" from "ramsey", short enough to join "calibrate" and "calibration"
# Words that nearly every instruction has say little about which experiment is meant.
COMMON = frozenset(
    word
    for line in (
        "a an and at by can do for from in into is it its me my of on or our please run that the this to us using",
        "want we will with you perform conduct execute carry out experiment measurement measure qubit dut again",
    )
    for word in line.split()
)
COMMON_WEIGHT = 0.15


class Embedder(Protocol):
    """Anything that LangChain calls an embedding, with a name that identifies its vectors."""

    @property
    def name(self) -> str: ...

    def embed_documents(self, texts: Sequence[str]) -> list[list[float]]: ...

    def embed_query(self, text: str) -> list[float]: ...


class HashingEmbedder:
    """Unit vectors whose inner product grows with shared words, word pairs and spellings.

    Feature hashing after Weinberger et al., arXiv:0902.2206: every feature adds its weight, with a hashed sign, to a
    hashed coordinate. The inner product of two vectors estimates that of the two sparse feature vectors.

    Args:
        size: number of coordinates; collisions fall as 1/size.
    """

    def __init__(self, size: int = 1024) -> None:
        self.size = size

    @property
    def name(self) -> str:
        """Changes whenever the vectors would; part of an index's identity."""
        return f"hashing-{self.size}-2"

    def embed_documents(self, texts: Sequence[str]) -> list[list[float]]:
        """One unit vector a text."""
        rows: list[list[float]] = self.matrix(texts).tolist()
        return rows

    def embed_query(self, text: str) -> list[float]:
        """The unit vector of `text`; zero if it holds no letter or digit."""
        return self.embed_documents([text])[0]

    def matrix(self, texts: Iterable[str]) -> NDArray[np.float32]:
        """The vectors of `texts`, (n_texts, size)."""
        rows = [self._vector(text) for text in texts]
        return np.asarray(rows, dtype=np.float32).reshape(len(rows), self.size)

    def _vector(self, text: str) -> NDArray[np.float64]:
        vector = np.zeros(self.size)
        for feature, weight in _features(text):
            hashed = zlib.crc32(feature.encode())
            vector[(hashed >> 1) % self.size] += weight if hashed & 1 else -weight
        length = float(np.linalg.norm(vector))
        return vector / length if length else vector


def _features(text: str) -> Iterator[tuple[str, float]]:
    spaced = re.sub(r"([a-z])([A-Z][a-z])", r"\1 \2", text).lower()
    words = re.findall(r"[a-z]+\d*|\d+(?:\.\d+)?", spaced.replace("_", " "))
    for word in words:
        scale = COMMON_WEIGHT if word in COMMON or word[0].isdigit() else 1.0
        yield f"w:{word}", WORD_WEIGHT * scale
        padded = f"<{word}>"
        for i in range(len(padded) - GRAM + 1):
            yield f"g:{padded[i : i + GRAM]}", GRAM_WEIGHT * scale
    telling = [word for word in words if word not in COMMON]
    for left, right in pairwise(telling):
        yield f"p:{left} {right}", PAIR_WEIGHT
