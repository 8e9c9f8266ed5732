"""Slips of the pen: a word that nobody knows, one letter away from one that the lab uses."""

from __future__ import annotations

import re
from functools import cache, lru_cache

from labwright.agents.lab_calibration.lexicon import FOREIGN, FOREIGN_PHRASES, NEUTRAL
from labwright.tools.experiments.wording import every_word

SHORTEST = 5  # letters; below it a slip makes another word
LONG = 9  # letters from which two slips are forgiven
_TECHNICAL = (
    "calibration calibrate experiment measurement spectroscopy interleaved randomized benchmarking fidelity tomography"
    " resonator readout frequency amplitude anharmonicity coherence relaxation oscillation experiment qubit parameter"
)


@lru_cache(maxsize=8192)
def spelled(word: str) -> str:
    """`word` as it is spelled; itself where it is known, too short, or nothing is near."""
    if len(word) < SHORTEST or not word.isalpha() or word in _known():
        return word
    allowed = 2 if len(word) >= LONG else 1
    best, nearest = allowed + 1, word
    for other in _targets().get(word[0], ()):
        if abs(len(other) - len(word)) < best and (far := _distance(word, other, best)) < best:
            best, nearest = far, other
    return nearest


@cache
def _known() -> frozenset[str]:
    return frozenset(_lab()) | NEUTRAL | FOREIGN | {word for phrase in FOREIGN_PHRASES for word in phrase.split()}


@cache
def _lab() -> frozenset[str]:
    return frozenset(re.findall(r"[a-z]+", f"{_TECHNICAL} {every_word()}".lower()))


@cache
def _targets() -> dict[str, tuple[str, ...]]:
    """Words that a slip may have meant, by first letter; those of the lab first."""
    lab = sorted(word for word in _lab() if len(word) >= SHORTEST)
    ordinary = sorted(word for word in NEUTRAL - _lab() if len(word) >= SHORTEST)
    letters = {word[0] for word in (*lab, *ordinary)}
    return {letter: tuple(word for word in (*lab, *ordinary) if word[0] == letter) for letter in letters}


def _distance(a: str, b: str, most: int) -> int:
    """Letters put in, left out, changed, or two swapped (optimal string alignment); `most` if it is that or more."""
    before, row = [0] * (len(b) + 1), list(range(len(b) + 1))
    for i, left in enumerate(a, 1):
        earlier, before = before, row
        row = [i]
        for j, right in enumerate(b, 1):
            cost = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (left != right))
            if i > 1 and j > 1 and left == b[j - 2] and a[i - 2] == right:
                cost = min(cost, earlier[j - 2] + 1)
            row.append(cost)
        if min(row) >= most:
            return most
    return min(row[-1], most)
