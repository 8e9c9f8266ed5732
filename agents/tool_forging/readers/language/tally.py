"""Numbers of a task that a specification does not hold: each of them is a condition that was passed over."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterable, Mapping, Sequence

from labwright.agents.tool_forging.readers.language.body import Body
from labwright.agents.tool_forging.readers.language.conventions import conventions
from labwright.agents.tool_forging.readers.language.scalars import scalar_at
from labwright.agents.tool_forging.readers.language.units import kind, unit_at

_NUMBER = re.compile(r"(?<![\w.^{_|-])-?\d[\d,]*(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.]*[A-DF-Za-df-z]\w*[|>])")
_LABELLED = re.compile(
    (
        r"(?:Exercise|Problem|Task|Question|Part|Steps?|Fig(?:ure)?\.?|Sec(?:tion)?\.?|Eq(?:uation)?\.?|Table|"
        r"Chapter|No\.?|sheet|week|version|CUDA|Python|QuTiP|arXiv:?)\s*#?\(?\s*$"
    ),
    re.I,
)
_FACTORS = (1.0, 2.0, 0.5, 4.0, 0.25, math.pi, 2 * math.pi, math.pi / 2)  # of conventions
_PREFIXES = (1e3, 1e6, 1e9, 1e12)  # of units
_AS_WRITTEN = frozenset({"temperature", "pressure", "field"})  # no square and no inverse of them is in a specification
_CONVERTED = frozenset({"time", "frequency", "angular", "rate", "energy", "wavenumber", "length"})


def passed_over(
    body: Body, used: Collection[tuple[int, int]], holds: object, more: Iterable[float] = ()
) -> tuple[str, str] | None:
    """The first number of the text that is neither read nor in the specification, as sentence and number.

    Args:
        used: stretches of the cleaned text that were read.
        holds: the specification as plain data; its numbers count also as squares, inverses, and with the factors that
            conventions and units bring in.
        more: further numbers that were used.
    """
    pool = [
        abs(one) if isinstance(one, float) else abs(int(one))
        for one in (*_numbers(holds), *(int(v) if v == int(v) else v for v in more))
    ]
    used = [*used, *_angles(body.text, pool), *conventions(body.text)]
    for sentence in body.sentences:
        if sentence.is_heading:
            continue
        for match in _NUMBER.finditer(sentence.text):
            place = sentence.start + match.start()
            if any(a <= place < b for a, b in used) or _LABELLED.search(sentence.text[: match.start()]):
                continue
            value = abs(float(match[0].replace(",", "")))
            unit = unit_at(body.text, sentence.start + match.end())[0]
            if (
                (value in (0.0, 1.0, 2.0) and not unit)
                or _held(value, pool, unit)
                or _held_whole(body.text, place, pool, unit)
            ):
                continue
            return body.original(sentence.start, sentence.end), match[0]
    return None


_PI = re.compile(r"(?:\d+(?:\.\d+)?\s*\*?\s*)?\bpi\b(?:\s*/\s*\d+)?")


def _angles(text: str, pool: Sequence[float]) -> list[tuple[int, int]]:
    """Stretches such as ``pi/3`` and ``3 pi / 4`` whose values the pool has."""
    found = []
    for match in _PI.finditer(text):
        item = scalar_at(match[0], 0, [])
        value = item.value_or_none() if item else None
        if value is not None and _held(abs(value), pool, ""):
            found.append(match.span())
    return found


def holds(value: float, data: object) -> bool:
    """Whether a specification has a number, up to factors of conventions and units."""
    return _held(abs(value), [abs(one) for one in _numbers(data)], "second")


def _held_whole(text: str, place: int, pool: Sequence[float], unit: str) -> bool:
    """Whether arithmetic such as ``3 pi / 4`` that begins here has its value in the pool."""
    item = scalar_at(text, place, [])
    value = item.value_or_none() if item else None
    return value is not None and _held(abs(value), pool, unit)


def _held(value: float, pool: Sequence[float], unit: str) -> bool:
    """Whether the pool has a number, as it is or in one of the forms that conventions and units give it.

    Counts stand for themselves and their neighbours; couplings and rates may have been squared, inverted or scaled.
    Quantities of another kind, such as temperatures, are in no specification but as they are written.
    """
    if unit and kind(unit) in _AS_WRITTEN:
        return any(_same(value, float(one) * by) for one in pool for by in (1.0, *_PREFIXES, 1e-3))
    counts = [one for one in pool if isinstance(one, int)]
    if value in counts or any(one > 3 and abs(value - one) == 1 for one in counts):
        return True
    what = kind(unit) if unit else ""
    factors: tuple[float, ...] = (1.0,) if what and what not in {*_CONVERTED, "fraction"} else _FACTORS
    factors += _PREFIXES if what in _CONVERTED else (100.0,) if what == "fraction" else ()
    for one in (float(one) for one in pool if not isinstance(one, int) and one):
        if any(_same(value, form * by) or _same(value * by, form) for form in _forms(one) for by in factors):
            return True
    return False


def _forms(one: float) -> tuple[float, ...]:
    return one, one * one, 1 / one, 1 / (one * one)


def _same(one: float, other: float) -> bool:
    return math.isclose(one, other, rel_tol=1e-6, abs_tol=1e-12)


def _numbers(data: object) -> Iterable[float]:
    if isinstance(data, bool):
        return
    if isinstance(data, int | float):
        yield data
    elif isinstance(data, Mapping):
        for value in data.values():
            yield from _numbers(value)
    elif isinstance(data, list | tuple):
        for value in data:
            yield from _numbers(value)


class Watched(dict[str, float]):
    """Values by name that remember which of them were looked up, so that a symbol that nothing uses is noticed."""

    def __init__(self, values: Mapping[str, float]) -> None:
        super().__init__(values)
        self.seen: set[str] = set()

    def __getitem__(self, name: str) -> float:
        self.seen.add(name)
        return super().__getitem__(name)

    def get(self, name: str, default: float | None = None) -> float | None:  # type: ignore[override]
        """As a mapping's; a name that is there counts as used."""
        self.seen |= {name} & self.keys()
        return super().get(name, default)
