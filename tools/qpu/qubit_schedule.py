"""Which qubits may be worked on at the same time: a schedule in rounds, and the lattice that it is made for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from labwright.tools.qpu.settings import QubitSettings, pair_name

APART = 50.0  # MHz between two drives, and between a drive and another qubit's 1-2 line
MOST_TRIED = 5_000  # steps of the search; sixteen qubits need a few hundred


@dataclass(frozen=True, slots=True)
class Conflict:
    """Why two qubits may not be driven together."""

    first: str
    second: str
    reason: str


def conflicts(
    qubits: Sequence[str], settings: Mapping[str, QubitSettings], couplers: Iterable[tuple[str, str]] = ()
) -> list[Conflict]:
    """Every pair that must not share a round: neighbours, and drives near another qubit's line.

    At -35 dB of crosstalk, gates that are driven together 20 MHz apart lose some 1e-4; at 50 MHz about 1e-5, falling
    steeply. The 1-2 line, one anharmonicity away, counts as well: a drive there leaks the other qubit.
    """
    coupled = {frozenset(pair) for pair in couplers}
    found = []
    for one, two in combinations(qubits, 2):
        if frozenset((one, two)) in coupled:
            found.append(Conflict(one, two, "neighbours"))
        elif (near := distance(settings[one], settings[two])) < APART:
            found.append(Conflict(one, two, f"{near:.0f} MHz apart"))
    return found


def pair_conflicts(
    pairs: Sequence[tuple[str, str]], settings: Mapping[str, QubitSettings], couplers: Iterable[tuple[str, str]]
) -> list[Conflict]:
    """Every two pairs that must not share a round: a common qubit, or qubits of both that may not be driven together.

    Pairs are called as `settings.pair_name` calls them.
    """
    coupled, found = list(couplers), []
    for one, two in combinations(pairs, 2):
        names = pair_name(*one), pair_name(*two)
        if common := set(one) & set(two):
            found.append(Conflict(*names, f"both have {common.pop()}"))
            continue
        crossed = [c for a in one for b in two for c in conflicts((a, b), settings, coupled)]
        if crossed:
            found.append(Conflict(*names, f"{crossed[0].first} and {crossed[0].second}: {crossed[0].reason}"))
    return found


def distance(one: QubitSettings, two: QubitSettings) -> float:
    """How near one qubit's drive comes to a line of the other, or the other's to a line of the first, MHz."""
    away = one.frequency - two.frequency
    return min(abs(away), abs(away - two.anharmonicity), abs(-away - one.anharmonicity))


def rounds(qubits: Sequence[str], apart: Iterable[Conflict]) -> list[list[str]]:
    """The fewest rounds in which no two conflicting qubits meet, each in the order of `qubits`.

    An exact search for a colouring, most constrained qubit first; where it takes too long, the greedy colouring it
    began with.
    """
    blocked: dict[str, set[str]] = {name: set() for name in qubits}
    for pair in apart:
        blocked[pair.first].add(pair.second)
        blocked[pair.second].add(pair.first)
    best = _coloured(qubits, blocked, len(qubits)) or {name: n for n, name in enumerate(qubits)}
    fewest = _clique(blocked)
    while (used := max(best.values(), default=-1) + 1) > fewest and (fewer := _coloured(qubits, blocked, used - 1)):
        best = fewer
    members = [[name for name in qubits if best[name] == n] for n in range(max(best.values(), default=-1) + 1)]
    return sorted((each for each in members if each), key=len, reverse=True)


def _clique(blocked: Mapping[str, set[str]]) -> int:
    """The size of a large set of qubits of which no two may meet, so that fewer rounds cannot be had."""
    sizes = [0]
    for name in blocked:
        members, left = 1, set(blocked[name])
        while left:
            left &= blocked[max(sorted(left), key=lambda each: len(left & blocked[each]))]
            members += 1
        sizes.append(members)
    return max(sizes)


def _coloured(qubits: Sequence[str], blocked: Mapping[str, set[str]], most: int) -> dict[str, int] | None:
    """Qubit -> round with at most `most` rounds; None if there is none, or it was not found in time."""
    colour: dict[str, int] = {}
    tried = 0

    def taken(name: str) -> set[int]:
        return {colour[other] for other in blocked[name] if other in colour}

    def free(name: str) -> list[int]:
        met = taken(name)
        used = max(colour.values(), default=-1) + 1
        # a round that is not begun yet is as good as any other that is not
        sizes = [sum(value == n for value in colour.values()) for n in range(used)]
        return sorted(
            (n for n in range(min(used + 1, most)) if n not in met), key=lambda n: sizes[n] if n < used else 1e9
        )

    def placed() -> bool:
        nonlocal tried
        left = [name for name in qubits if name not in colour]
        if not left:
            return True
        tried += 1
        if tried > MOST_TRIED:
            return False
        begun = min(max(colour.values(), default=-1) + 2, most)
        name = min(left, key=lambda each: (begun - len(taken(each)), -len(blocked[each])))
        for n in free(name):
            colour[name] = n
            if placed():
                return True
            del colour[name]
        return False

    return colour if placed() else None


def lattice(qubits: Sequence[str], couplers: Iterable[tuple[str, str]]) -> dict[str, tuple[int, int]]:
    """Where to draw each qubit, (row, column): a square lattice if the couplers make one, else rows of equal length."""
    place = {name: n for n, name in enumerate(qubits)}
    steps = {abs(place[a] - place[b]) for a, b in couplers if a in place and b in place}
    width = max(steps, default=0)
    square = steps <= {1, width} and width > 1 and not any(_wraps(place, pair, width) for pair in couplers)
    if not square:
        width = max(1, round(len(qubits) ** 0.5 + 0.49))
    return {name: divmod(n, width) for name, n in place.items()}


def _wraps(place: Mapping[str, int], pair: tuple[str, str], width: int) -> bool:
    """Whether a pair that would be drawn side by side lies in two rows."""
    if pair[0] not in place or pair[1] not in place:
        return False
    a, b = place[pair[0]], place[pair[1]]
    return abs(a - b) == 1 and a // width != b // width
