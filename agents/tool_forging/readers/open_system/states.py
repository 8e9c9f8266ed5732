"""Initial states in words and kets, and the names by which a task calls them."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from labwright.agents.tool_forging.readers.open_system.ket_sums import state_near

_H = math.sqrt(0.5)
# eigenstates of a qubit: aliases -> amplitudes on (Z = +1, Z = -1)
QUBIT: list[tuple[tuple[str, ...], tuple[complex, complex]]] = [
    (("plus", "+", "+x", "x+", "plus_x", "|+>"), (_H, _H)),
    (("minus", "-", "-x", "x-", "minus_x", "|->"), (_H, -_H)),
    (("plus_i", "+i", "+y", "y+", "plus_y", "|+i>"), (_H, 1j * _H)),
    (("minus_i", "-i", "-y", "y-", "minus_y", "|-i>"), (_H, -1j * _H)),
    (("zero", "0", "up", "+z", "z+", "|0>"), (1, 0)),
    (("one", "1", "down", "-z", "z-", "|1>"), (0, 1)),
]


@dataclass(frozen=True, slots=True)
class SpokenState:
    """A state of the text: amplitudes or a density matrix, and what it may be called in the results."""

    name: str
    aliases: tuple[str, ...]
    amplitudes: tuple[complex, ...] = ()
    matrix: tuple[tuple[complex, ...], ...] = ()
    start: int = 0


def qubit_state(alias: str) -> tuple[complex, complex] | None:
    """Amplitudes of an eigenstate of X, Y or Z by one of its names."""
    plain = alias.strip().strip("|>").lower()
    return next((psi for names, psi in QUBIT if plain in names), None)


def aliases_of(psi: Sequence[complex]) -> tuple[str, ...]:
    """The names of a qubit's state, if it has some."""
    for names, known in QUBIT:
        if abs(abs(sum(complex(a).conjugate() * b for a, b in zip(known, psi, strict=False))) - 1) < 1e-9:
            return names
    return ()


def product_ket(text: str, dims: Sequence[int], levels: Sequence[str], excited_up: bool) -> tuple[complex, ...] | None:
    """Amplitudes of ``|0>``, ``|10>``, ``|+->``, ``|e,1>``, ``|g>|0>``: a mark a subsystem; None if it does not fit."""
    inner = text.strip().replace(">|", ",").strip("|>").strip()
    if inner in levels:
        return _basis(levels.index(inner), math.prod(dims))
    marks = [part.strip() for part in re.split(r"[,;\s@]+", inner)] if re.search(r"[,;\s@]", inner) else _marks(inner)
    if len(marks) != len(dims):
        return None
    psi: tuple[complex, ...] = (1,)
    for mark, levels_here in zip(marks, dims, strict=True):
        one = _one(mark, levels_here, excited_up)
        if one is None:
            return None
        psi = tuple(a * b for a in psi for b in one)
    return psi


def _marks(inner: str) -> list[str]:
    return (
        re.findall(r"[+-]i|[+-]|\d|[a-z]", inner)
        if not re.fullmatch(r"\d+|[a-z]+", inner) or len(inner) > 1
        else [inner]
    )


def _one(mark: str, levels: int, excited_up: bool) -> tuple[complex, ...] | None:
    if levels == 2:
        names = {"e": (1, 0) if excited_up else (0, 1), "g": (0, 1) if excited_up else (1, 0), "u": (1, 0), "d": (0, 1)}
        return names.get(mark) or qubit_state(mark)
    return _basis(int(mark), levels) if mark.isdigit() and int(mark) < levels else None


def _basis(index: int, size: int) -> tuple[complex, ...]:
    return tuple(complex(k == index) for k in range(size))


def superposition(
    text: str, dims: Sequence[int], levels: Sequence[str], excited_up: bool, names: Mapping[str, float] | None = None
) -> tuple[complex, ...] | None:
    """Amplitudes of a sum of kets such as ``(|0> + i |1>)/sqrt(2)`` or ``cos(0.3)|0> + sin(0.3)|1>``; normalised."""
    found = state_near(text, 0, names or {})
    return None if found is None else amplitudes(found[0], dims, levels, excited_up)


def amplitudes(
    kets: Mapping[str, complex], dims: Sequence[int], levels: Sequence[str], excited_up: bool
) -> tuple[complex, ...] | None:
    """Normalised amplitudes of a sum of kets; None if a ket does not fit the system."""
    total = [0j] * math.prod(dims)
    for ket, factor in kets.items():
        psi = product_ket(f"|{ket}>", dims, levels, excited_up)
        if psi is None:
            return None
        total = [a + factor * b for a, b in zip(total, psi, strict=True)]
    norm = math.sqrt(sum(abs(one) ** 2 for one in total))
    return tuple(one / norm for one in total) if norm > 1e-12 else None
