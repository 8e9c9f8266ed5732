"""Where the exciton of a HEOM task begins, and between which sites its coherences are asked for."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from labwright.agents.call import Question
from labwright.agents.tool_forging.readers.base import Unread
from labwright.agents.tool_forging.readers.heom.sites import THINGS, Sites
from labwright.agents.tool_forging.readers.language.deliverables import wanted

Rho = NDArray[np.complex128]

_START = (
    r"locali[sz]ed|starts?|starting|begins?|beginning|created|placed|put|born|injected|lands?|arrives?|"
    r"initial\w*|prepared|sits|"
    r"at first|at t\s*=\s*0|at time (?:zero|0)|excite|is excited|excited first|in the beginning|rho\(0\)"
)
_LATER = re.compile(r"arrives?|lands?", re.I)  # words that speak of the way as often as of the beginning
_LATER_BY = 30.0  # characters that such a word counts as farther away
_FACTOR = r"(?:(?P<{0}>i|sqrt\(?\s*[\d./]+\s*\)?|\d*\.?\d+(?:\s*/\s*sqrt\(?\s*\d+\s*\)?|\s*/\s*\d+)?)\s*\*?\s*)?"
_KET = rf"{_FACTOR}\|\s*(?P<{{1}}>\w)\s*>(?!\s*<)"
_FIRST = r"(?P<s0>[-+])?\s*" + _KET.format("c0", "k0")
_SUM = re.compile(
    _FIRST + r"(?P<more>(?:\s*[-+]\s*(?:(?:i|sqrt\(?[\d./\s]+\)?|[\d./]+)\s*\*?\s*)?\|\s*\w\s*>(?!\s*<))+)"
)
_PART = re.compile(r"(?P<sign>[-+])\s*" + _KET.format("c", "k"))
_SHARED = re.compile(
    r"(?:superposition|coherent(?:ly)?|delocali[sz]ed)[^.;]{0,50}?(?:sites?|pigments?|dyes?|chromophores?|molecules?|"
    r"of|by|between|over|on)\s+(?:the\s+)?(?P<a>\w|donor|left|upper|first) (?:site )?and (?:the |site )?"
    r"(?P<b>\w|acceptor|right|lower|second)\b|"
    r"(?:superposition of (?:the )?|delocali[sz]ed over (?:the )?)(?P<all>both|two|all(?: the)?(?: \w+)?) "
    r"(?:sites|pigments|dyes|chromophores|molecules)",
    re.I,
)
_OPPOSITE = re.compile(r"\bantisymmetric|opposite (?:sign|phase)|with a minus|out of phase", re.I)
_MIXED = re.compile(
    r"\b(?:mixtures?|mixed state|incoherent(?:ly)?(?=[^.;]{0,80}\b(?:sites?|dyes?|pigments?)\b))\b", re.I
)
# where a list of pairs of sites ends
_PAIRS_END = re.compile(
    r"\b(?:populations?|purity|against|versus|as (?:a )?functions?|over|from|in time|with the|plus)\b"
)


class Starts(Sites):
    """Reads the state of the beginning."""

    def first_site(self, size: int) -> int:
        if self.names.names[0].isdigit():
            if self.names.first:
                self.assumed.append("Sites are counted from 1, as no site 0 is named.")
            return self.names.first
        names = self.site_names() or self.names.names
        told = ", ".join(f"{name} is site {k}" for k, name in enumerate(names, self.names.first))
        self.assumed.append(f"Sites are counted from {self.names.first} in the results: {told}.")
        return self.names.first

    def site_names(self) -> list[str]:
        """Letters or words for the sites, for results that the task does not lay out; none where it numbers them."""
        if self.body.wanted or any(name.isdigit() for name in self.names.names):
            return []
        return [name.upper() if len(name) == 1 else name for name in self.names.names]

    def initial(self, size: int, first: int) -> tuple[Rho, str] | Question | Unread:
        mixed = _MIXED.search(self.text)
        if mixed:
            return Unread(self.body.original(*mixed.span()), "Excitons begin on one site or in a superposition.")
        shared = self.superposed(size)
        if isinstance(shared, Question):
            return shared
        if shared is not None:
            return np.outer(shared, shared.conj()), _called(shared, first)
        index = self.beginning()
        if index is None:
            return Question(text="In which state does the exciton begin: on which site?")
        if not 0 <= index < size:
            return Question(
                text=f"The site it begins on is not among the {size} sites. On which does the exciton begin?"
            )
        rho = np.zeros((size, size), dtype=complex)
        rho[index, index] = 1
        return rho, f"site {(self.site_names() or [str(k + first) for k in range(size)])[index]}"

    def superposed(self, size: int) -> Rho | Question | None:
        """A state that several sites share at the beginning, as amplitudes of norm one; None for one of one site."""
        strange = Question(text=f"The initial superposition names a site that is not among the {size}. Which sites?")
        psi = np.zeros(size, dtype=complex)
        kets = _SUM.search(self.text)
        if kets:
            norm = r"\)?\s*/\s*\(?\s*sqrt\s*\(?\s*\d+\s*\)?"
            behind = re.match(norm, self.text[kets.end() : kets.end() + 20])
            front = re.search(r"1\s*/\s*sqrt\s*\(?\s*\d+\s*\)?\s*\*?\s*\(?$", self.text[: kets.start()])
            self.account.use(front.start() if front else kets.start(), kets.end() + (behind.end() if behind else 0))
            parts = [(kets["s0"], kets["c0"], kets["k0"])]
            parts += [(part["sign"], part["c"], part["k"]) for part in _PART.finditer(kets["more"])]
            for sign, factor, name in parts:
                site = self.names.index(name)
                if site is None:
                    return strange
                psi[site] += (-1 if sign == "-" else 1) * _amplitude(factor)
            return psi / np.linalg.norm(psi) if np.linalg.norm(psi) > 0 else strange
        both = _SHARED.search(self.text)
        if both is None:
            return None
        self.account.use(*both.span())
        if both["all"]:
            return (
                np.full(size, size**-0.5, dtype=complex) if both["all"] not in {"both", "two"} or size == 2 else strange
            )
        a, b = self.names.index(both["a"]), self.names.index(both["b"])
        if a is None or b is None or a == b:
            return strange
        psi[[a, b]] = 0.5**0.5
        if _OPPOSITE.search(self.text[max(0, both.start() - 40) : both.end() + 60]):
            psi[b] *= -1
        return psi

    def beginning(self) -> int | None:
        """The site that is named nearest to a word of beginning; -1 for one that is not there."""
        best: tuple[float, int] | None = None
        for cue in re.finditer(rf"\b(?:{_START})\b|\brho\(0\)", self.text, re.I):
            clause = re.split(r"[.;]\s|\n\s*\n|\n(?=[A-Z-]+\b)", self.text[cue.start() : cue.start() + 90])[0]
            strange = re.search(rf"\b(?:{THINGS})\s+(\d+)\b", clause[len(cue[0]) :], re.I)
            if strange and self.names.index(strange[1]) is None:
                return -1
            behind = self.names.mentioned(clause[len(cue[0]) :])
            front = re.split(r"[.;:]\s|\n\s*\n|,\s", self.text[max(0, cue.start() - 50) : cue.start()])[-1]
            before = self.names.mentioned(front) if re.search(r"excit|initial|is\b|sit", cue[0] + front) else []
            later = _LATER_BY if _LATER.fullmatch(cue[0]) else 0.0
            choices = [(behind[0][0] + later, behind[0][1])] if behind else []
            choices += [(len(front) - before[-1][0] + 0.5 + later, before[-1][1])] if before else []
            for one in choices:
                best = min(best, one) if best else one
            if choices and best:
                self.account.use(cue.start(), cue.start() + len(clause))
        return best[1] if best else None

    def pairs(self, size: int, first: int, rho: Rho) -> list[list[int]]:
        """Pairs of sites whose coherences are asked for."""
        if not re.search(r"\bcoherence`?s?\b(?! (?:time|in energy))|rho_\{?\w\s*,?\s*\w\b", self.task_text):
            return []
        good = self.named_pairs()
        if good:
            return good
        if size == 2:
            return [[0, 1]] if re.search(r"\bcoherence`?s?\b(?! (?:time|in energy))", self.task_text) else []
        if not re.search(r"\bcoherences?\b(?! (?:time|in energy))", self.text) and not wanted(
            self.body.wanted, "coherence"
        ):
            return []
        if size == 3 and not self.body.wanted:
            self.assumed.append("Coherences are those of all pairs of sites.")
            return [list(pair) for pair in combinations(range(size), 2)]
        start = int(np.argmax(np.real(np.diag(rho))))
        self.assumed.append(f"Coherences are those of site {start + first} with every other site.")
        return [[start, other] for other in range(size) if other != start]

    def named_pairs(self) -> list[list[int]]:
        """Pairs that stand behind the word, or as subscripts of the density matrix."""
        good: list[list[int]] = []
        for match in re.finditer(r"\brho_\{?([\dA-Z])\s*,?\s*([\dA-Z])\}?", self.text):
            self.add_pair([self.names.index(match[1]), self.names.index(match[2])], match.span(), good)
        for match in re.finditer(r"\bcoherences?[^.;]{0,90}", self.text) if not good else ():
            end = _PAIRS_END.search(match[0])
            sites = [which for _, which in self.names.mentioned(match[0][: end.start()] if end else match[0])]
            for k in range(0, len(sites) - 1, 2):
                self.add_pair(sites[k : k + 2], (match.start(), match.start() + len(match[0])), good)
        return good

    def add_pair(self, sites: Sequence[int | None], span: tuple[int, int], good: list[list[int]]) -> None:
        """A pair of two different sites, once."""
        if None in sites or sites[0] == sites[1]:
            return
        self.account.use(*span)
        pair = [int(one or 0) for one in sites]
        if pair not in good:
            good.append(pair)


def _amplitude(factor: str | None) -> complex:
    """``i``, ``0.6``, ``sqrt(0.3)``, ``1/sqrt(2)``; one where nothing stands."""
    if not factor:
        return 1.0
    if factor == "i":
        return 1j
    top, _, below = re.sub(r"[\s()]", "", factor).partition("/") if "sqrt" not in factor[:4] else (factor, "", "")
    value = 1.0
    for text, power in ((top, 1), (below, -1)):
        if text:
            plain = re.sub(r"sqrt|[\s()]", "", text)
            parts = [float(part) for part in plain.split("/")]
            number = parts[0] / parts[1] if len(parts) > 1 else parts[0]
            value *= (number**0.5 if "sqrt" in text else number) ** power
    return value


def _called(psi: Rho, first: int) -> str:
    """The state as a sum of kets."""
    there = [k for k in range(len(psi)) if abs(psi[k]) > 1e-12]
    if np.allclose(psi[there], psi[there[0]]):
        return f"({' + '.join(f'|{k + first}>' for k in there)})/sqrt({len(there)})"
    return " + ".join(f"({complex(psi[k]):.4g})|{k + first}>" for k in there)
