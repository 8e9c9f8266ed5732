"""Sites of a HEOM task: energies, couplings, and where the exciton begins."""

from __future__ import annotations

import re

import numpy as np

from labwright.agents.call import Question
from labwright.agents.tool_forging.readers.base import Unread
from labwright.agents.tool_forging.readers.heom.words_of_task import Words
from labwright.agents.tool_forging.readers.language.assignments import count
from labwright.agents.tool_forging.readers.language.deliverables import wanted
from labwright.agents.tool_forging.readers.language.matrices import Matrix, matrices
from labwright.agents.tool_forging.readers.language.numbers import integer

_MEANT = re.compile(
    r"\bHEOM\b|hierarch(?:y|ical)[- ]equations?[- ]of[- ]motion|hierarchical equations|"
    r"\bDrude\b(?=.*\b(?:tiers?|Matsubara|hierarchy|depth)\b)|\b(?:tiers?|Matsubara|hierarchy)\b(?=.*\bDrude\b)",
    re.I | re.S,
)
_OTHER = re.compile(
    r"\b(?:Brownian|underdamped|Ohmic|sub-?Ohmic|super-?Ohmic|Lorentzian bath|Redfield|Lindblad|Förster|Forster|TEDOPA"
    r"|path integral|fermionic|vibronic|absorption spectr\w+|2D spectr\w+|trapping|sink|static disorder)\b",
    re.I,
)
_PER_CM = 8065.543937  # 1/cm in one eV
_FS = 1e15 / (2 * np.pi * 2.99792458e10)  # fs of the inverse of 1/cm as an angular frequency
_LENGTHS = {"dimer": 2, "trimer": 3, "tetramer": 4, "pentamer": 5, "hexamer": 6}


class Sites(Words):
    """Reads the system."""

    def hamiltonian(self) -> list[list[float]] | Question | Unread:
        found = [one for one in matrices(self.body.plain) if len(one.rows) == len(one.rows[0]) > 1]
        if len(found) > 1:
            return Question(text="The task has several square matrices. Which one is the Hamiltonian?",
                            options=[one.name or "unnamed" for one in found])  # fmt: skip
        if found:
            return self.given_matrix(found[0])
        return self.spoken_sites()

    def given_matrix(self, found: Matrix) -> list[list[float]] | Question:
        matrix = np.array(found.rows)
        if np.abs(matrix.imag).max() > 0 or not np.allclose(matrix, matrix.T):
            return Question(text="The Hamiltonian is not real and symmetric. What are its entries?")
        self.account.use(found.start, found.end)
        around = self.text[max(0, found.start - 200) : found.start] + " ; " + self.text[found.end : found.end + 80]
        scale = self.energy_scale(around)
        return [[float(value) * scale for value in row] for row in matrix.real]

    def energy_scale(self, around: str) -> float:
        """Of the matrix's numbers, to 1/cm."""
        if re.search(r"\bmeV\b", around):
            return _PER_CM / 1000
        if re.search(r"(?<![km])\beV\b", around):
            return _PER_CM
        if not re.search(r"1 ?/ ?cm|cm\^?-?\{?-?1|wavenumber", around):
            self.assumed.append("The Hamiltonian bears no unit; 1/cm is taken. In another unit all rates would change.")
        return 1.0

    def spoken_sites(self) -> list[list[float]] | Question | Unread:
        """Sites whose energies and couplings stand in words."""
        size = self.size()
        energies = self.energy(r"site energ(?:y|ies)|energies of the (?:two |three )?sites", ("epsilon", "E", "e"))
        gap = self.energy(
            (
                r"(?:energy|site-energy) (?:difference|gap|bias|offset|splitting)|detuning|bias|(?:state |level |"
                r"site |energy )?(?:lies|is|sits)(?=\s+\S+\s+\S+\s+(?:above|below|higher|lower))"
            ),
            ("Delta", "DeltaE"),
        )
        below = gap is not None and bool(self.account.find(r"\d\s*\S+\s+(?:below|lower than)\b"))
        coupling = self.energy(
            r"(?:electronic |excitonic |dipole |nearest[- ]neighbou?r )?coupling(?: strength)?", ("J", "V")
        )
        if coupling is None or len(coupling.values) != 1:
            return Question(
                text="What is the Hamiltonian of the sites: their energies and the coupling between them, in 1/cm?"
            )
        size = size or (len(energies.values) if energies else 0) or 2
        if energies and len(energies.values) == size:
            levels = list(energies.values)
        elif gap and len(gap.values) == 1 and size == 2:
            levels = [0.0, gap.values[0]] if below else [gap.values[0], 0.0]
            if not re.search(
                r"first site|site [01] (?:is|lies) (?:higher|above)|\b(?:above|below|higher|lower)\b", self.text
            ):
                self.assumed.append(
                    f"Site energies differ by {gap.values[0]:g} 1/cm; the first site is the higher one."
                )
        elif (
            self.account.find(r"(?:equal|identical|same|degenerate|resonant)(?: site)?[- ]?(?:energ\w+|sites)?")
            or energies
        ):
            levels = [0.0] * size
        else:
            return Question(text=f"What are the energies of the {size} sites, in 1/cm?")
        matrix = np.diag(levels)
        for k in range(size - 1):
            matrix[k, k + 1] = matrix[k + 1, k] = coupling.values[0]
        if size > 2:
            if self.account.find(r"\bring\b|periodic"):
                matrix[0, -1] = matrix[-1, 0] = coupling.values[0]
            elif not self.account.find(r"(?:linear )?chain|nearest[- ]neighbou?rs?|neighbou?ring"):
                return Question(text="Which of the sites are coupled?")
        return [[float(v) for v in row] for row in matrix]

    def size(self) -> int | None:
        named = self.account.find(r"\b(" + "|".join(_LENGTHS) + r")\b")
        if named:
            return _LENGTHS[named[1].lower()]
        said = count(
            self.body.plain, r"sites?|pigments?|chromophores?|molecules?|monomers?|dyes?|dots?|chlorophylls?|units?"
        )
        if said:
            self.account.use(said[1], said[2])
            return said[0]
        return None

    def first_site(self, size: int) -> int:
        said = " ".join([self.text, *(item.text for item in wanted(self.body.wanted, "population"))])
        numbers = [int(one) for one in re.findall(r"\bsites?\s*`?\s*\(?(\d+)", said)]
        numbers += [int(one) for one in re.findall(r"`site`\s*\((\d+)", said)]
        numbers += [int(one) for one in re.findall(r"\|(\d)>", self.text)]
        if 0 in numbers:
            return 0
        if numbers:
            self.assumed.append("Sites are counted from 1, as no site 0 is named.")
            return 1
        return 0

    def initial(self, size: int, first: int) -> tuple[np.ndarray, str] | Question | Unread:
        rho = np.zeros((size, size), dtype=complex)
        both = self.account.find(

                r"(?:superposition|coherent(?:ly)?|delocali[sz]ed)[^.;]{0,50}?sites? (\d+) and (?:site )?(\d+)|"
                r"superposition of (?:the )?(both|two) sites"

        )  # fmt: skip
        if both:
            pair = [0, 1] if both[3] else [int(both[1]) - first, int(both[2]) - first]
            if not all(0 <= one < size for one in pair):
                return Question(
                    text=f"The initial superposition names a site that is not among the {size}. Which sites?"
                )
            psi = np.zeros(size)
            psi[pair] = 0.5**0.5
            return np.outer(psi, psi).astype(complex), f"(|{pair[0] + first}> + |{pair[1] + first}>)/sqrt(2)"
        on = self.account.find(

                r"(?:locali[sz]ed|starts?|begins?|created|placed|born|injected|lands?|arrives?|initial\w*|prepared|"
                r"sits|excited|excitation|excite)[^.;\n]{0,60}?\b(?:on|at|in)?\s*(?:the\s+)?(?:site|pigment|"
                r"chromophore|monomer|dye|molecule|dot)\s*(\d+|one|two|three)"

        ) or self.account.find(
            r"\b(?:site|pigment|dye|molecule|chromophore|monomer)\s*(\d+)\s+(?:is\s+)?(?:initially\s+)?(?:excited|"
            r"populated|occupied)"
        )  # fmt: skip
        word = on[1] if on else None
        if word is None:
            named = self.account.find(
                r"\b(?:on|at|in|onto)\s+(?:the\s+)?(first|second|donor|acceptor|last)\s*(?:site|pigment|"
                r"molecule|dye)?|\b(?:the\s+)?(first|second|donor|acceptor|last)(?:\s+(?:site|pigment|molecule|"
                r"dye))?\s+(?:is|starts|being)\s+(?:initially\s+)?(?:excited|populated|occupied)"
            )
            if named is None:
                return Question(text="In which state does the exciton begin: on which site?")
            index = {"first": 0, "donor": 0, "second": 1, "acceptor": 1, "last": size - 1}[
                (named[1] or named[2]).lower()
            ]
        else:
            # dyes and molecules are counted from one unless one of them is number zero
            other = (
                re.search(r"(?:dye|molecule|pigment|chromophore|monomer|dot)\s*(?:\d|one|two)", on[0]) if on else None
            )
            base = (
                (
                    0
                    if re.search(r"(?:dye|molecule|pigment|chromophore|monomer|dot)s?\W+(?:\w+\W+)?0\b", self.text)
                    else 1
                )
                if other
                else first
            )
            index = (integer(word) or 0) - base
        if not 0 <= index < size:
            return Question(text=f"Site {word} is not among the {size} sites. On which does the exciton begin?")
        rho[index, index] = 1
        return rho, f"site {index + first}"

    def pairs(self, size: int, first: int, rho: np.ndarray) -> list[list[int]]:
        if not re.search(r"\bcoherence`?s?\b(?! (?:time|in energy))", self.task_text):
            return []
        spoken = [(int(m[1]) - first, int(m[2]) - first) for m in self.account.every(

                r"coherences?[^.;]{0,40}?(?:sites?|between)\s+(?:sites?\s+)?(\d+) and (?:site )?(\d+)|"
                r"rho_\{?(\d)\s*,?\s*(\d)\}?"
            ) if m[1]]  # fmt: skip
        asked = wanted(self.body.wanted, "coherence")
        good = [[a, b] for a, b in spoken if 0 <= a < size and 0 <= b < size]
        if good:
            return good
        if size == 2:
            return [[0, 1]]
        if not asked:
            return []
        start = int(np.argmax(np.real(np.diag(rho))))
        self.assumed.append(f"Coherences are those of site {start + first} with every other site.")
        return [[start, other] for other in range(size) if other != start]
