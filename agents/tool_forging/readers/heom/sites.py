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
from labwright.agents.tool_forging.readers.heom.words_of_task import Words
from labwright.agents.tool_forging.readers.language.assignments import count
from labwright.agents.tool_forging.readers.language.deliverables import wanted
from labwright.agents.tool_forging.readers.language.matrices import Matrix
from labwright.agents.tool_forging.readers.language.quantities import Quantity
from labwright.agents.tool_forging.readers.language.units import UNIT, canonical, kind

Rows = list[list[float]]
_SIZES = {
    "homodimer": 2,
    "heterodimer": 2,
    "dimer": 2,
    "trimer": 3,
    "tetramer": 4,
    "pentamer": 5,
    "hexamer": 6,
    "heptamer": 7,
}
_THINGS = r"sites?|pigments?|chromophores?|molecules?|monomers?|dyes?|dots?|chlorophylls?|bacteriochlorophylls?|units?"
_START = (
    r"locali[sz]ed|starts?|starting|begins?|beginning|created|placed|put|born|injected|lands?|arrives?|"
    r"initial\w*|prepared|sits|"
    r"at first|at t\s*=\s*0|at time (?:zero|0)|excite|is excited|excited first|in the beginning|rho\(0\)"
)
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
        said = count(self.body.plain, _THINGS)
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
            owners = [self.owner(one) for _, one in told]
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
        subscript = re.search(r"[JV]_?\{?(\d)\s*,?\s*(\d)\}?\s*(?:=|:)?\s*$", one.before)
        if subscript:
            a, b = (self.names.index(word) for word in subscript.groups())
            return (min(a, b), max(a, b)) if a is not None and b is not None and a != b else None
        for text in (one.before[-60:], one.after[:40]):
            found = [which for _, which in self.names.mentioned(text)]
            if len(found) >= 2 and found[-2] != found[-1]:
                a, b = found[-2:] if text is not one.after[:40] else found[:2]
                return min(a, b), max(a, b)
        return None

    def owner(self, one: Quantity) -> int | None:
        """The site that a quantity belongs to: the last one named in front of it, else the first behind."""
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

    def size(self) -> int | None:
        if self.matrices:
            return len(self.matrices[0].rows)
        named = self.account.find(r"\b(?:homo|hetero)?(" + "|".join(_SIZES) + r")\b")
        if named:
            return _SIZES[named[1].lower()]
        said = count(self.body.plain, _THINGS)
        if said and said[0] > 1:
            self.account.use(said[1], said[2])
            return said[0]
        told = self.energies("energy")
        if len(told) > 1:
            return len(told)
        return 2 if re.search(r"\b(?:donor|acceptor|pair|both)\b", self.text, re.I) else None

    def first_site(self, size: int) -> int:
        if self.names.names[0].isdigit():
            if self.names.first:
                self.assumed.append("Sites are counted from 1, as no site 0 is named.")
            return self.names.first
        told = ", ".join(f"{name} is site {k}" for k, name in enumerate(self.names.names))
        self.assumed.append(f"Sites are counted from 0 in the results: {told}.")
        return 0

    def site_names(self) -> list[str]:
        """The letters of the sites, for results that the task does not lay out; none where it numbers them."""
        letters = [name.upper() for name in self.names.names if len(name) == 1 and name.isalpha()]
        return letters if len(letters) == len(self.names.names) and not self.body.wanted else []

    def initial(self, size: int, first: int) -> tuple[NDArray[np.complex128], str] | Question | Unread:
        rho = np.zeros((size, size), dtype=complex)
        pair = self.superposed(size)
        if isinstance(pair, Question):
            return pair
        if pair:
            psi = np.zeros(size)
            psi[list(pair)] = 0.5**0.5
            return np.outer(psi, psi).astype(complex), f"(|{pair[0] + first}> + |{pair[1] + first}>)/sqrt(2)"
        index = self.beginning()
        if index is None:
            return Question(text="In which state does the exciton begin: on which site?")
        if not 0 <= index < size:
            return Question(
                text=f"The site it begins on is not among the {size} sites. On which does the exciton begin?"
            )
        rho[index, index] = 1
        return rho, f"site {(self.site_names() or [str(k + first) for k in range(size)])[index]}"

    def superposed(self, size: int) -> tuple[int, int] | Question | None:
        """Two sites that share the excitation at the beginning."""
        kets = re.search(r"\|(\w)>\s*\+\s*\|(\w)>", self.text)
        both = kets or re.search(
            r"(?:superposition|coherent(?:ly)?|delocali[sz]ed)[^.;]{0,50}?(?:sites?|pigments?|dyes?|of)\s+(\w) "
            r"and (?:site )?(\w)\b|"
            r"(?:superposition of (?:the )?|delocali[sz]ed over )(?:both|two) (?:sites|pigments|dyes)",
            self.text,
            re.I,
        )
        if both is None:
            return None
        self.account.use(*both.span())
        named = [self.names.index(word) for word in both.groups() if word]
        if not named:
            return 0, 1
        a, b = named[0], named[-1]
        if a is None or b is None or a == b:
            return Question(text=f"The initial superposition names a site that is not among the {size}. Which sites?")
        return a, b

    def beginning(self) -> int | None:
        """The site that is named nearest to a word of beginning; -1 for one that is not there."""
        best: tuple[float, int] | None = None
        for cue in re.finditer(rf"\b(?:{_START})\b|\brho\(0\)", self.text, re.I):
            clause = re.split(r"[.;]\s|\n\s*\n|\n(?=[A-Z-]+\b)", self.text[cue.start() : cue.start() + 90])[0]
            strange = re.search(rf"\b(?:{_THINGS})\s+(\d+)\b", clause[len(cue[0]) :], re.I)
            if strange and self.names.index(strange[1]) is None:
                return -1
            behind = self.names.mentioned(clause[len(cue[0]) :])
            front = re.split(r"[.;:]\s|\n\s*\n|,\s", self.text[max(0, cue.start() - 50) : cue.start()])[-1]
            before = self.names.mentioned(front) if re.search(r"excit|initial|is\b|sit", cue[0] + front) else []
            choices = [(behind[0][0] + 0.0, behind[0][1])] if behind else []
            choices += [(len(front) - before[-1][0] + 0.5, before[-1][1])] if before else []
            for one in choices:
                best = min(best, one) if best else one
            if choices and best:
                self.account.use(cue.start(), cue.start() + len(clause))
        return best[1] if best else None

    def pairs(self, size: int, first: int, rho: NDArray[np.complex128]) -> list[list[int]]:
        if not re.search(r"\bcoherence`?s?\b(?! (?:time|in energy))|rho_\{?\d", self.task_text):
            return []
        good: list[list[int]] = []
        for match in re.finditer(r"coherences?[^.;]{0,60}|rho_\{?(\d)\s*,?\s*(\d)\}?", self.text):
            if match[1]:
                sites: list[int | None] = [self.names.index(match[1]), self.names.index(match[2])]
            else:
                sites = []
                sites += [which for _, which in self.names.mentioned(match[0])][:2]
            if len(sites) == 2 and sites[0] != sites[1] and None not in sites and sites not in good:
                good.append([int(one or 0) for one in sites])
                self.account.use(*match.span())
        if good:
            return good
        if size == 2:
            return [[0, 1]]
        if not wanted(self.body.wanted, "coherence"):
            return []
        start = int(np.argmax(np.real(np.diag(rho))))
        self.assumed.append(f"Coherences are those of site {start + first} with every other site.")
        return [[start, other] for other in range(size) if other != start]
