"""Which vials a group asks for: its factors combined, constrained and repeated."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass

from labwright.tools.errors import InputError
from labwright.tools.liquid_handler.experiment_design import DILUTION, Factor, Group
from labwright.tools.liquid_handler.quantity_fields import Stated

Level = Stated | str
MAX_COMBINATIONS = 20_000  # before constraints; two plates hold 192


@dataclass(frozen=True, slots=True)
class Combination:
    """One vial's levels, which of the replicates it is (from 1), and which dilution of a series (0: none)."""

    group: str
    levels: dict[str, Level]
    replicate: int
    step: int = 0
    dilution: str = ""  # how dilute, as a label of a series: 1, 2, 4, ...

    @property
    def label(self) -> dict[str, str]:
        """The levels as text."""
        own = {DILUTION: self.dilution} if self.dilution else {}
        return {name: str(level) for name, level in self.levels.items()} | own


def combinations(group: Group) -> Iterator[Combination]:
    """Every vial of a group, in the design's order: the last factor changes first, replicates stand side by side.

    A serial dilution follows the vial that it begins with.

    Raises:
        InputError: an explicit row or a constraint names a factor or level that does not exist.
    """
    count = math.prod(factor.size for factor in group.factors)
    if group.combine == "cross" and count > MAX_COMBINATIONS:
        raise InputError(
            f"Group {group.name!r} crosses {count} combinations; at most {MAX_COMBINATIONS} are looked at."
        )
    for levels in _rows(group):
        if all(_allowed(group, levels, rule.when, rule.only) for rule in group.constraints):
            for replicate in range(1, group.replicates + 1):
                yield Combination(group.name, levels, replicate, 0, "1" if group.serial else "")
                for step in range(1, group.serial.steps + 1) if group.serial else ():
                    dilution = f"{group.serial.factor.to('') ** step:.6g}" if group.serial else ""
                    yield Combination(group.name, levels, replicate, step, dilution)


def _rows(group: Group) -> Iterator[dict[str, Level]]:
    names = [factor.name for factor in group.factors]
    if group.combine == "explicit":
        for row in group.rows:
            yield _explicit(group, row)
        return
    lists: list[list[Level]] = [[*factor.levels, *factor.chemicals] for factor in group.factors]
    paired = zip(*lists, strict=True) if group.combine == "zip" and lists else itertools.product(*lists)
    for levels in paired:
        yield dict(zip(names, levels, strict=True))


def _explicit(group: Group, row: dict[str, str]) -> dict[str, Level]:
    factors = {factor.name: factor for factor in group.factors}
    if set(row) != set(factors):
        raise InputError(f"A row of group {group.name!r} names {sorted(row)}, but the factors are {sorted(factors)}.")
    return {name: _level(factors[name], text) for name, text in row.items()}


def _level(factor: Factor, text: str) -> Level:
    levels: list[Level] = [*factor.levels, *factor.chemicals]
    for level in levels:
        if same_level(level, text):
            return level
    raise InputError(
        f"Factor {factor.name!r} has no level {text!r}. It has: {[*map(str, factor.levels or factor.chemicals)]}."
    )


def same_level(level: Level, text: str) -> bool:
    """Whether a level is what the text says, as a name or as an amount in any unit."""
    if isinstance(level, str):
        return level == text
    try:
        asked = Stated.model_validate(text)
    except ValueError:
        return False
    return asked.measures == level.measures and abs(asked.to(level.unit) - level.value) <= 1e-9 * max(
        1, abs(level.value)
    )


def _allowed(group: Group, levels: dict[str, Level], when: dict[str, list[str]], only: dict[str, list[str]]) -> bool:
    for name, texts in (*when.items(), *only.items()):
        factor = next((factor for factor in group.factors if factor.name == name), None)
        if factor is None:
            raise InputError(f"A constraint of group {group.name!r} names factor {name!r}, which it does not have.")
        for text in texts:
            _level(factor, text)
    if not all(any(same_level(levels[name], text) for text in texts) for name, texts in when.items()):
        return True
    return all(any(same_level(levels[name], text) for text in texts) for name, texts in only.items())
