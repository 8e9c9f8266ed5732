"""Cards of tasks, changed in one place: a field left out, renamed or of another type, a letter, a unit, a size."""

from __future__ import annotations

import copy
import operator
import random
import re
from collections.abc import Iterator
from functools import reduce
from typing import Any

KEPT = ("spec", "system", "task")  # without these it is no card of its kind
JUNK: tuple[Any, ...] = (
    None, True, -1, 0, 3, 1e9, 10**30, float("nan"), float("inf"), "", " ", "x", "nan", "1/0", "-1", "1e400", "Q(q)",
    "5 parsecs", "5 MHz", "3 us", "ket(7)", "[]", "[1, 2", "linspace(0, 1, 0)", "linspace(0, 1, 10**9)", "().__class__",
    "X*", "\u00bd", "ZZZZZZZZ", [], {}, [[1]], ["x"], [1, 2, 3], {"a": 1}, {"a": {"b": []}}, [[0, 1], [2]], "9**9**9",
    "0 0", ".xyz", "-> A", "exp(1000)", "lambda", "t", "X(q)*", "H",
)  # fmt: skip
UNITS = re.compile(r"\b(?:us|ns|ms|MHz|GHz|kHz|meV|K|fs)\b")


def _places(data: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    for key, one in data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ():
        yield (*path, key)
        yield from _places(one, (*path, key))


def broken(card: dict[str, Any], draw: random.Random) -> dict[str, Any]:
    """`card` with one place changed."""
    made = copy.deepcopy(card)
    *way, last = draw.choice([one for one in _places(made) if one[0] not in KEPT])
    holder = reduce(operator.getitem, way, made)
    old, how = holder[last], draw.choice(("junk", "junk", "drop", "rename", "typo", "unit", "scale", "twice"))
    if how == "drop":
        del holder[last]
    elif how == "rename" and isinstance(holder, dict):
        holder[f"{last}{draw.choice('sx_')}"] = holder.pop(last)
    elif how == "typo" and isinstance(old, str) and old:
        cut = draw.randrange(len(old))
        holder[last] = old[:cut] + draw.choice(("", "(", "~", "]", old[cut:][:2])) + old[cut + 1 :]
    elif how == "unit" and isinstance(old, str):
        other = draw.choice(("", "K", "meV", "ns", "furlong"))
        holder[last] = UNITS.sub(other, old) if UNITS.search(old) else f"{old} us"
    elif how == "scale" and isinstance(old, int | float) and not isinstance(old, bool):
        holder[last] = old * draw.choice((-1, 0, 0.5, 1e6))
    elif how == "twice" and isinstance(holder, list):
        holder.append(old)
    else:
        holder[last] = draw.choice(JUNK)
    return made
