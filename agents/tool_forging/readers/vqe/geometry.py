"""The geometries of a VQE task: coordinates, distances on a line, bent molecules by bond length and angle."""

from __future__ import annotations

import math
from collections.abc import Sequence

from labwright.agents.call import Question
from labwright.agents.tool_forging.readers.framed import Framed
from labwright.agents.tool_forging.readers.language.coordinates import blocks, positions, unit_of
from labwright.agents.tool_forging.readers.vqe.distances import Length, lengths, shared, spread
from labwright.agents.tool_forging.readers.vqe.molecules import Molecule
from labwright.tools.forge.families.vqe.spec import Point

_LINE = (
    r"\blinear(?:ly)?\b|\bline(?:ar)? (?:geometry|arrangement|molecule)|\bin (?:a )?line\b|straight|"
    r"\bchain\b|equally spaced|in a (?:row|line)|collinear|equidistant|on a (?:straight )?line"
)
_ANGLE = (
    r"(?:angle|bent|H-?[A-Z][a-z]?-?H|<)[^.;\n\d]{0,40}?(\d+(?:\.\d+)?)\s*(?:degrees?|deg\b|°)|"
    r"(\d+(?:\.\d+)?)[\s-]*(?:degrees?|deg|°)(?=[^.;\n]{0,40}(?:angle|bent))"
)


def geometries(task: Framed, wanted: Sequence[Molecule]) -> dict[str, list[Point]] | Question:
    """The points of each molecule, by its name."""
    found: dict[str, list[Point]] = {}
    rest: list[Molecule] = []
    for one in wanted:
        listed = _listed(task, one)
        if listed:
            found[one.name] = [Point(positions=listed)]
        else:
            rest.append(one)
    angle = _angle(task)
    told, assumed = lengths(task.account) if rest else ([], False)
    if assumed:
        task.assumed.append("A distance has no unit: angstrom.")
    for length in told:
        task.account.use(length.start, length.end)
    own = shared(told, {one.name: one.places for one in rest}, task.text)
    if own is None:
        return Question(text=f"Which distance belongs to which molecule: {', '.join(one.name for one in rest)}?")
    for one in rest:
        made = _points(task, one, own[one.name], angle)
        if isinstance(made, Question):
            return made
        found[one.name] = made
    return found


def _points(task: Framed, molecule: Molecule, told: Sequence[Length], angle: float | None) -> list[Point] | Question:
    """A molecule at its distances: on a line, or bent by the angle."""
    name, symbols = molecule.name, molecule.symbols
    single = [one for one in symbols if symbols.count(one) == 1]
    bent = angle is not None and len(symbols) == 3 and len(single) == 1
    line = len(symbols) == 2 or bool(task.account.find(_LINE))
    if not bent and (not line or not _one_distance(symbols)):
        return Question(text=f"What is the geometry of {name}: the coordinates of its atoms in angstrom?")
    values = list(dict.fromkeys(round(v, 9) for one in told for v in spread(task.account, one, task.assumed.append)))
    if not values:
        return Question(text=f"At which bond distance or distances (angstrom) is {name} meant?")
    values = values if any(one.open_range for one in told) or len(told) == 1 else sorted(values)
    if bent and angle is not None:
        return [Point(positions=_bent(symbols, one, angle), distance=one) for one in values]
    return [Point(positions=_in_line(symbols, one), distance=one) for one in values]


def _angle(task: Framed) -> float | None:
    """The bond angle of a bent molecule (degrees)."""
    match = task.account.find(_ANGLE)
    return float(match[1] or match[2]) if match else None


def _listed(task: Framed, molecule: Molecule) -> list[list[float]]:
    """Coordinates in the text or an input file (angstrom): atoms of the same kinds, in the molecule's order."""
    for text in (task.text, *(one for one in task.body.task.inputs.values() if one)):
        for block in blocks(text):
            rows = positions(text, block)
            if sorted(symbol for symbol, _ in rows) != sorted(molecule.symbols):
                continue
            if text is task.text:
                task.account.use(block[0].start(), block[-1].end())
                if not unit_of(text, block):
                    task.assumed.append("The unit of the coordinates is not given: angstrom.")
            molecule.symbols[:] = [symbol for symbol, _ in rows]
            return [place for _, place in rows]
    return []


def _one_distance(symbols: list[str]) -> bool:
    """Whether all neighbours on a line are alike: equal atoms, or three with a different one in the middle."""
    return len(symbols) == 2 or len(set(symbols)) == 1 or (len(symbols) == 3 and len(set(symbols)) == 2)


def _in_line(symbols: list[str], distance: float) -> list[list[float]]:
    """Atoms on a line at equal distances; of three, the one that is unlike the others goes to the middle."""
    order = list(range(len(symbols)))
    single = [k for k in order if symbols.count(symbols[k]) == 1]
    if len(symbols) == 3 and len(single) == 1:
        order.remove(single[0])
        order.insert(1, single[0])
    place = {atom: k for k, atom in enumerate(order)}
    return [[0.0, 0.0, distance * place[k]] for k in range(len(symbols))]


def _bent(symbols: list[str], distance: float, angle: float) -> list[list[float]]:
    """Three atoms with the unlike one in the middle, at equal distances and an angle in degrees."""
    half = math.radians(angle) / 2
    ends = iter((1.0, -1.0))
    return [
        [0.0, 0.0, 0.0]
        if symbols.count(one) == 1
        else [0.0, distance * math.sin(half) * next(ends), distance * math.cos(half)]
        for one in symbols
    ]
