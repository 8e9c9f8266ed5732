"""Sites of a HEOM task: energies, couplings, and where the exciton begins."""

from __future__ import annotations

import re
from functools import cached_property
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from labwright.agents.call import Question
from labwright.agents.tool_forging.readers.base import Unread
from labwright.agents.tool_forging.readers.heom.named import Names, named_sites
from labwright.agents.tool_forging.readers.heom.slots import INDEXED
from labwright.agents.tool_forging.readers.heom.words_of_task import Words
from labwright.agents.tool_forging.readers.language.assignments import count
from labwright.agents.tool_forging.readers.language.deliverables import wanted
from labwright.agents.tool_forging.readers.language.matrices import Matrix
from labwright.agents.tool_forging.readers.language.quantities import Quantity
from labwright.agents.tool_forging.readers.language.units import UNIT, canonical, kind

Rows = list[list[float]]
_SIZES = {
    "dyad": 2,
    "triad": 3,
    "homodimer": 2,
    "heterodimer": 2,
    "dimer": 2,
    "trimer": 3,
    "tetramer": 4,
    "pentamer": 5,
    "hexamer": 6,
    "heptamer": 7,
}
THINGS = r"sites?|pigments?|chromophores?|molecules?|monomers?|dyes?|dots?|chlorophylls?|bacteriochlorophylls?|units?"
_LISTED = re.compile(
    rf"\b(?i:{THINGS.replace('?', '')})\s+(?P<list>(?:[A-Z]|\d)(?:\s*,\s*(?:[A-Z]|\d)\b)*\s*,?\s*and\s+(?:[A-Z]|\d)\b)"
)
# a number is followed by what it is for
_BEHIND = re.compile(r"\s*\(?\s*(?:for|on|at|of|in|between|from|connects|couples|links|joins)\s")
_INDEXED = re.compile(rf"(?:{'|'.join(INDEXED)})(?P<site>\d|[A-F])")
_BELOW = r"\b(?:below|lower|under|beneath|down)\b"
_ABOVE = r"\b(?:above|higher|over|up)\b"


class Sites(Words):
    """Reads the system."""

    def hamiltonian(self) -> Rows | Question | Unread:
        found = self.matrices
        if len(found) > 1:
            return Question(text="The task has several square matrices. Which one is the Hamiltonian?",
                            options=[one.name or "unnamed" for one in found])  # fmt: skip
        if found:
            return self.given_matrix(found[0])
        return self.spoken_sites()

    def given_matrix(self, found: Matrix) -> Rows | Question:
        matrix = np.array(found.rows)
        if np.abs(matrix.imag).max() > 0 or not np.allclose(matrix, matrix.T):
            return Question(text="The Hamiltonian is not real and symmetric. What are its entries?")
        said = count(self.unmeasured, THINGS)
        if (
            said
            and said[0] > len(matrix)
            and re.search(r"\b(?:antenna|of|with|has|chain|ring|comprises)\W+(?:\w+\W+){0,2}$", self.text[: said[1]])
        ):
            return Question(
                text=f"The task speaks of {said[0]} sites, but its matrix is {len(matrix)} x {len(matrix)}. "
                f"What is right?"
            )
        self.account.use(found.start, found.end)
        unit = self.unit_of(found)
        return [[self.wavenumber(float(value), unit) for value in row] for row in matrix.real]

    def unit_of(self, found: Matrix) -> str:
        """The unit of a matrix: behind it, else the nearest one in front, else that of the other energies."""
        behind = re.match(rf"[\s.,(]*(?:in\s+)?(?P<unit>{UNIT})(?![A-Za-z])", self.text[found.end : found.end + 24])
        units = [behind["unit"]] if behind else []
        around = self.text[max(0, found.start - 200) : found.start]
        units += reversed(re.findall(rf"(?<![A-Za-z\d/])({UNIT})(?![A-Za-z])", around))
        for one in map(canonical, units):
            if kind(one) in {"energy", "wavenumber", "frequency"}:
                return one
        return self.energy_unit

    def spoken_sites(self) -> Rows | Question | Unread:
        """Sites whose energies and couplings stand in words."""
        size = self.size()
        if size is None:
            return Question(text="How many sites are there, and what are their energies and couplings in 1/cm?")
        levels = self.levels(size)
        if isinstance(levels, Question):
            return levels
        return self.coupled(np.diag(levels).astype(float), size)

    def levels(self, size: int) -> list[float] | Question:
        """Energies of the sites: listed, one for each name, by a difference, or all alike."""
        told = self.energies("energy")
        if len(told) == size:
            owners = self.owners([one for _, one in told])
            if None not in owners and len(set(owners)) == size and all(len(one.numbers.items) == 1 for _, one in told):
                order = sorted(range(size), key=lambda k: owners[k] or 0)
                return [told[k][0] for k in order]
            return [value for value, _ in told]
        gaps = self.energies("gap") or (told if len(told) == 1 else [])
        if size == 2 and len(gaps) == 1:
            return self.apart(*gaps[0])
        alike = self.account.find(
            r"\b(?:equal|identical|same|degenerate|resonan\w*|homodimer|alike)\b(?:[- ](?:site )?(?:energ\w+|sites))?"
        )
        if alike and not told and not gaps:
            return [0.0] * size
        return Question(text=f"What are the energies of the {size} sites, in 1/cm?")

    def apart(self, gap: float, one: Quantity) -> list[float]:
        """Two energies that differ: the site named in front of the number lies above or below the one behind."""
        around = f"{one.before} # {one.after}"
        sites = [which for _, which in self.names.mentioned(around)]
        below = bool(re.search(_BELOW, around)) and not re.search(_ABOVE, around)
        upper = sites[0] if sites else 0
        if not sites and not re.search(_ABOVE, around):
            self.assumed.append(f"Site energies differ by {gap:g} 1/cm; the first site is the higher one.")
        if below:
            upper = 1 - upper
        return [gap, 0.0] if upper == 0 else [0.0, gap]

    def coupled(self, matrix: NDArray[np.float64], size: int) -> Rows | Question:
        """Couplings of named pairs, of neighbours, or of all pairs."""
        told = self.energies("coupling")
        if not told:
            return Question(text="How strong is the coupling between the sites, in 1/cm?")
        named = [(value, self.pair(one)) for value, one in told]
        if size > 2 and all(pair for _, pair in named) and len({pair for _, pair in named}) == len(told):
            for value, pair in named:
                matrix[pair] = matrix[pair[::-1]] = value  # type: ignore[index]
            return [[float(v) for v in row] for row in matrix]
        values = [value for value, _ in told]
        pairs = self.pairs_of(size)
        if pairs is None or len(values) not in {1, len(pairs)}:
            return Question(text="Which of the sites are coupled, and how strongly (1/cm)?")
        for pair, value in zip(pairs, values * len(pairs) if len(values) == 1 else values, strict=True):
            matrix[pair] = matrix[pair[::-1]] = value
        return [[float(v) for v in row] for row in matrix]

    def pairs_of(self, size: int) -> list[tuple[int, int]] | None:
        """Which pairs a coupling without names is for."""
        if size == 2:
            return [(0, 1)]
        if self.account.find(
            r"\b(?:every|each|any|all) (?:pairs?|two)\b|\bpairwise\b|all[- ]to[- ]all|each with (?:each|every) other"
        ):
            return list(combinations(range(size), 2))
        chain = [(k, k + 1) for k in range(size - 1)]
        if self.account.find(r"\bring\b|\bperiodic\b|\bcircle\b|\btriangle\b"):
            return [*chain, (0, size - 1)]
        if self.account.find(r"\bchain\b|neighbou?r\w*|\brow\b|\bline(?:ar)?\b|\badjacent\b|next to each other"):
            return chain
        return None

    def pair(self, one: Quantity) -> tuple[int, int] | None:
        """The pair that a coupling belongs to: named nearest to its number."""
        subscript = re.search(r"[JV]_?\{?([\dA-F])\s*,?\s*([\dA-F])\}?\s*(?:=|:)?\s*$", one.before)
        if subscript:
            a, b = (self.names.index(word) for word in subscript.groups())
            return (min(a, b), max(a, b)) if a is not None and b is not None and a != b else None
        behind = [which for _, which in self.names.mentioned(one.after[:40])]
        front = [which for _, which in self.names.mentioned(one.before[-60:])][-2:]
        if _BEHIND.match(one.after):
            front = []
        for found in (front, behind[:2]):
            if len(found) == 2 and found[0] != found[1]:
                return min(found), max(found)
        return None

    def owners(self, told: list[Quantity]) -> list[int | None]:
        """The site of each quantity: all are named behind their numbers, or all in front."""
        behind = [self.names.mentioned(one.after[:32]) if _BEHIND.match(one.after) else [] for one in told]
        if len(told) > 1 and all(behind):
            return [found[0][1] for found in behind]
        return [self.owner(one) for one in told]

    def owner(self, one: Quantity) -> int | None:
        """The site that a quantity belongs to: the last one named in front of it, else the first behind."""
        if index := _INDEXED.fullmatch(one.symbol):
            return self.names.index(index["site"])
        before = self.names.mentioned(one.before)
        if before:
            return before[-1][1]
        line = self.text[self.text.rfind("\n", 0, one.start) + 1 : one.start]
        above = self.names.mentioned(line)
        if above:
            return above[-1][1]
        behind = self.names.mentioned(one.after[:24])
        return behind[0][1] if behind else None

    @cached_property
    def names(self) -> Names:
        said = " ".join([self.text, *(item.text for item in wanted(self.body.wanted, "population"))])
        return named_sites(re.sub(r"`", "", said), self.size() or 2)

    @cached_property
    def unmeasured(self) -> str:
        """The text with blanks in place of numbers with units: they count no sites."""
        text = self.text
        for many in self.filled.slots.values():
            for one in many:
                if one.kind:
                    text = text[: one.start] + " " * (one.end - one.start) + text[one.end :]
        return text

    def size(self) -> int | None:
        if self.matrices:
            return len(self.matrices[0].rows)
        named = self.account.find(r"\b(?:homo|hetero)?(" + "|".join(_SIZES) + r")\b")
        if named:
            return _SIZES[named[1].lower()]
        said = count(self.unmeasured, THINGS)
        if said and said[0] > 1:
            self.account.use(said[1], said[2])
            return said[0]
        listed = _LISTED.search(self.text)
        if listed:
            return len(re.findall(r"\b\w\b", re.sub(r"\band\b", ",", listed["list"])))
        told = self.energies("energy")
        if len(told) > 1:
            return len(told)
        return 2 if re.search(r"\b(?:donor|acceptor|pair|both)\b", self.text, re.I) else None
