"""The parts of a system: levels, spins, oscillators."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from .expression_values import CardError, within

MOST_LEVELS = 4096  # of the whole system
MOST_LEVELS_OPEN = 400  # with damping: the density matrix has their square


@dataclass(frozen=True, slots=True)
class Part:
    """One part: an atom with levels, a spin, or a mode of an oscillator.

    Attributes:
        size: number of levels.
        sort: ``levels``, ``spin`` or ``oscillator``.
        levels: names of the levels, in order; numbers as text where they have none.
        named: whether a person named the levels.
        index: place in the product space.
    """

    name: str
    size: int
    sort: str
    levels: tuple[str, ...]
    named: bool
    index: int


def parts_of(given: dict[str, Any], more_levels: bool = False) -> list[Part]:
    """The parts of a card, each of several as ``q[0]``.

    Args:
        more_levels: give every oscillator a quarter more levels, at least three, to see what the cut changes.

    Raises:
        CardError: a part is none, or the whole is too large.
    """
    made: list[Part] = []
    for name, one in given.items():
        with within("parts", name):
            size, sort, levels, count = _read(one, more_levels)
        for k in range(count):
            full = f"{name}[{k}]" if "count" in one else name
            made.append(Part(full, size, sort, levels or tuple(map(str, range(size))), bool(levels), len(made)))
    whole = math.prod(part.size for part in made)
    if whole > MOST_LEVELS:
        raise CardError(
            f"The whole system has {whole} levels; at most {MOST_LEVELS} are computed.",
            "Use fewer levels, or a task of its own for long chains (chain, tensor_network).",
            ("parts",),
        )
    return made


def _read(one: dict[str, Any], more_levels: bool) -> tuple[int, str, tuple[str, ...], int]:
    sorts = [key for key in ("levels", "spin", "oscillator") if one.get(key) is not None]
    if len(sorts) != 1:
        raise CardError(
            f"A part is one of levels, spin, oscillator; this is {', '.join(sorts) or 'none'}.",
            "Write {levels: 3}, {levels: [g, e]}, {spin: 1/2} or {oscillator: 12}.",
        )
    sort = sorts[0]
    names: tuple[str, ...] = ()
    given, count = one[sort], one.get("count", 1)
    if not isinstance(count, int) or isinstance(count, bool) or not 1 <= count <= 16:
        raise CardError(f"count is {count!r}.", "Write a whole number from 1 to 16.")
    if sort == "spin":
        text = str(given).replace(" ", "")
        halves = float(text[:-2]) if text.endswith("/2") and text[:-2].isdigit() else 0.0
        twice = halves or (2 * float(text) if text.replace(".", "", 1).isdigit() else 0.0)
        if twice < 1 or twice != int(twice) or twice > 60:
            raise CardError(f"A spin of {given!r}.", "Write 1/2, 1, 3/2, ...")
        return int(twice) + 1, sort, ("up", "down") if twice == 1 else (), count
    if isinstance(given, list):
        names = tuple(map(str, given))
        plain = all(name.isidentifier() or name.isdigit() for name in names)
        if sort != "levels" or not names or len(set(names)) != len(names) or not plain:
            raise CardError(f"Names of levels {given!r}.", "Write different plain names, such as [g, e, s].")
        if any(name.isdigit() for name in names) and names != tuple(str(k) for k in range(len(names))):
            raise CardError(f"Levels are numbered {given!r}.", "Write {levels: 3}, from 0, or names such as [L1, L2].")
        given, names = len(names), names if not names[0].isdigit() else ()
    if not isinstance(given, int) or isinstance(given, bool) or not 2 <= given <= MOST_LEVELS:
        raise CardError(f"{sort} is {given!r}.", f"Write a whole number from 2 to {MOST_LEVELS}.")
    if sort == "oscillator" and more_levels:
        given += max(3, given // 4)
    return given, sort, names, count
