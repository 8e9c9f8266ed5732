"""The closed vocabularies of `vocabulary.toml`: whole answers that mean an option."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from functools import cache
from pathlib import Path

FILE = Path(__file__).parent / "vocabulary.toml"


@cache
def words(name: str) -> frozenset[str]:
    """The words of the vocabulary `name`."""
    return frozenset(tomllib.loads(FILE.read_text(encoding="utf-8"))[name])


def chosen(said: str, options: Sequence[tuple[str, str]]) -> str:
    """The value of the option that an answer means; empty if it means none, or more than one.

    Args:
        said: the person's whole answer.
        options: (value, label) of each.
    """
    low = " ".join(said.lower().split()).rstrip(".!")
    for texts in ([value for value, _ in options], [label for _, label in options]):
        equal = [value for text, (value, _) in zip(texts, options, strict=True) if text.lower().rstrip(".") == low]
        if len(equal) == 1:
            return equal[0]
    for name in ("yes", "no"):
        fitting = [value for value, _ in options if value.lower() in words(name)]
        if low in words(name) and len(fitting) == 1:
            return fitting[0]
    return ""
