"""Reads tasks about excitons on coupled sites with Drude-Lorentz baths, to be solved with hierarchical equations."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
from pydantic import ValidationError

from labwright.agents.call import Question
from labwright.agents.tool_forging.readers.base import Reading, TaskText, Unread
from labwright.agents.tool_forging.readers.heom.times import duration, grid, n_times, time_unit
from labwright.agents.tool_forging.readers.heom.words import VOCABULARY
from labwright.agents.tool_forging.readers.language.accounting import Account
from labwright.agents.tool_forging.readers.language.assignments import assignments, count, phrase
from labwright.agents.tool_forging.readers.language.body import Body
from labwright.agents.tool_forging.readers.language.deliverables import wanted
from labwright.agents.tool_forging.readers.language.matrices import Matrix, matrices
from labwright.agents.tool_forging.readers.language.numbers import Numbers, integer
from labwright.agents.tool_forging.readers.language.units import converted, kind
from labwright.tools.forge.families.heom.spec import BathCase, HeomSpec

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


@dataclass(frozen=True)
class _Quantity:
    """Values in the units of the specification, and how they were written."""

    values: tuple[float, ...]
    unit: str


class HeomReader:
    """See `labwright.agents.tool_forging.readers.base.Reader`."""

    family = "heom"

    def read(self, task: TaskText) -> Reading | Question | Unread | None:
        """Read the task if it names the hierarchical equations of motion."""
        body = Body(task)
        if not _MEANT.search(body.text):
            return None
        other = _OTHER.search(body.text)
        if other:
            return Unread(
                body.original(*other.span()), "The book has Drude-Lorentz baths on sites in HEOM, nothing else."
            )
        return _Task(body).whole()


class _Task:
    """One task on the way to its specification."""

    def __init__(self, body: Body) -> None:
        self.body, self.text = body, body.text
        self.account = Account(body, VOCABULARY)
        self.assumed: list[str] = []
        self.sets = assignments(body.plain)

    def whole(self) -> Reading | Question | Unread:
        hamiltonian = self.hamiltonian()
        if isinstance(hamiltonian, Question | Unread):
            return hamiltonian
        size = len(hamiltonian)
        cases = self.cases(size)
        if isinstance(cases, Question | Unread):
            return cases
        first = self.first_site(size)
        initial = self.initial(size, first)
        if isinstance(initial, Question | Unread):
            return initial
        rho, initial_name = initial
        times = grid(self.account)
        if times is None:
            return Question(text="For how long is the exciton propagated (fs or ps)?")
        whole = duration(times)
        hierarchy = self.hierarchy()
        if isinstance(hierarchy, Question):
            return hierarchy
        depth, terms = hierarchy
        pairs = self.pairs(size, first, rho)
        try:
            spec = HeomSpec(
                title=self.body.title, hamiltonian=hamiltonian, first_site=first, cases=cases, depth=depth, terms=terms,
                expansion="pade" if self.account.find(r"Pad[eé]") else "matsubara", terminator=self.terminator(),
                initial=[[[float(v.real), float(v.imag)] for v in row] for row in rho], initial_name=initial_name,
                duration=whole, n_times=n_times(times, whole), time_unit=time_unit(self.account), coherences=pairs,
                wants=["purity"] if re.search(r"\bpurity\b", self.task_text, re.I) else [],
            )  # fmt: skip
        except ValidationError as wrong:
            return Unread(self.body.title, str(wrong.errors()[0]["msg"]))
        self.account.every(
            r"\b1\s*/\s*gamma\b|\b(?:sites?|dyes?|pigments?|molecules?|monomers?|chromophores?|labelled|numbered)\s+(?:\d(?:\s*,\s*|\s+and\s+|\s*-\s*)?)+|\b1 ?/ ?cm|cm\^-?\{?-?1\}?|\b(?:two|three|four|five|six|seven|\d+)[- ](?:site|level|pigment|molecule)s?\b"
        )
        doubt = self.account.doubt()
        if doubt:
            return Unread(doubt[0], f"{doubt[1]!r} in it is nothing that the reader of HEOM tasks knows.")
        return Reading("heom", spec, self.account.covered(), self.assumed)

    @property
    def task_text(self) -> str:
        return self.body.task.text

    # the system

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
            r"(?:energy|site-energy) (?:difference|gap|bias|offset|splitting)|detuning|bias|(?:state |level |site |energy )?(?:lies|is|sits)(?=\s+\S+\s+\S+\s+(?:above|below|higher|lower))",
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

    # the baths

    def energy(self, words: str, names: Sequence[str]) -> _Quantity | None:
        """An energy by its name or words, in 1/cm."""
        found = self.numbers(words, names)
        if found is None:
            return None
        values = found.values()
        what = kind(found.unit) if found.unit else ""
        if what == "energy":
            values = [converted(one, found.unit, "electron_volt") * _PER_CM for one in values]
        elif what not in {"wavenumber", ""}:
            return None
        elif what == "":
            self.assumed.append(f"{found.items[0].text} bears no unit; 1/cm is taken.")
        return _Quantity(tuple(values), "1/cm")

    def numbers(self, words: str, names: Sequence[str]) -> Numbers | None:
        """What the text sets a symbol to, or what stands behind its words."""
        for one in self.sets:
            if one.key in names and all(not item.names for item in one.numbers.items):
                self.account.use(one.start, one.end)
                return one.numbers
        spoken = phrase(self.body.plain, words)
        if spoken and all(not item.names for item in spoken[0].items):
            self.account.use(spoken[1], spoken[0].end)
            return spoken[0]
        return None

    def cutoffs(self) -> _Quantity | None:
        """Cutoff times in fs."""
        time = self.numbers(
            r"(?:bath )?(?:cut-?off|correlation|relaxation|memory|Debye)[- ]times?|correlations?(?: function)?(?: decays?| relaxes)?(?: with)?",
            ("1/gamma", "tauc", "taub", "tau", "gamma^-1"),
        )
        if time is not None and kind(time.unit) == "time":
            return _Quantity(tuple(converted(one, time.unit, "femtosecond") for one in time.values()), "fs")
        rate = self.numbers(
            r"(?:bath )?(?:cut-?off|relaxation|Debye|damping)[- ](?:frequenc(?:y|ies)|rates?)|cut-?off", ("gamma", "omegac", "Lambda", "omegaD", "gammac")
        )  # fmt: skip
        if rate is None:
            return None
        what = kind(rate.unit) if rate.unit else ""
        if what == "time":
            return _Quantity(tuple(converted(one, rate.unit, "femtosecond") for one in rate.values()), "fs")
        if what == "wavenumber":
            return _Quantity(tuple(_FS / one for one in rate.values()), "1/cm")
        if what in {"rate", "angular"}:
            per = converted(1.0, rate.unit.split("/")[1], "femtosecond")
            return _Quantity(tuple(per / one for one in rate.values()), "rate")
        return None

    def cases(self, size: int) -> list[BathCase] | Question | Unread:
        strength = self.energy(r"reorgani[sz]ation energ(?:y|ies)", ("lambda", "lam", "E_R", "ER"))
        if strength is None:
            return Question(text="What is the reorganization energy of the baths (1/cm)?")
        cutoff = self.cutoffs()
        if cutoff is None:
            return Question(text="What is the cutoff of the Drude-Lorentz baths: 1/gamma in fs, or gamma in 1/cm?")
        warm = self.numbers(r"temperatures?|\bat (?=\d+(?:\.\d+)?\s*K\b)", ("T",))
        if warm is None:
            loose = re.search(r"\b(\d+(?:\.\d+)?)\s*K\b", self.text)
            if loose is None:
                return Question(text="What is the temperature of the baths (K)?")
            temperatures = [float(loose[1])]
            self.account.use(*loose.span())
        else:
            temperatures = warm.values()
        # "300 K and 77 K", "T = 77 K" told twice
        for match in self.account.every(r"\b\d+(?:\.\d+)?\s*K\b"):
            value = float(match[0].split("K")[0])
            if value not in temperatures:
                temperatures.append(value)
        per_site = [bool(re.search(words, self.text, re.I)) for words in (r"respectively", r"for sites? \d and")]
        sweeps = re.search(r"\b(?:for each|sweep|vary|scan|compare|each of|three|several|values)\b", self.text, re.I)
        for one, name in ((strength, "reorganization energies"), (cutoff, "cutoff times")):
            if len(one.values) == size and len(one.values) > 1 and not any(per_site) and not sweeps:
                return Question(text=f"Are the {size} {name} those of the {size} sites, or values of a comparison?",
                                options=["sites", "comparison"])  # fmt: skip
        local = any(per_site) and not sweeps
        rows = [strength.values] if local and len(strength.values) == size else [(v,) * size for v in strength.values]
        times = [cutoff.values] if local and len(cutoff.values) == size else [(v,) * size for v in cutoff.values]
        names = self.label_names()
        made = []
        for lam, tau, kelvin in product(rows, times, temperatures):
            labels = {names[0]: kelvin}
            if len(rows) > 1:
                labels[names[1]] = lam[0]
            if len(times) > 1:
                labels[names[2]] = tau[0]
            made.append(BathCase(labels=labels, temperature=kelvin, reorganization=list(lam), cutoff_times=list(tau)))
        return made

    def label_names(self) -> tuple[str, str, str]:
        names = [name for item in wanted(self.body.wanted, "population") for name in item.labels]
        strength = next((one for one in names if re.search(r"lam|reorg", one, re.I)), "reorganization_energy")
        cutoff = next((one for one in names if re.search(r"gamma|cut|tau", one, re.I)), "cutoff_time")
        heat = next((one for one in names if re.search(r"temp|^T$", one)), "temperature")
        return heat, strength, cutoff

    # the hierarchy

    def hierarchy(self) -> tuple[int, int] | Question:
        number = r"(\d+|one|two|three|four|five|six|seven|eight|no)"
        behind = r"[\s_]*(?:\(?[A-Za-z]\w{0,3}\)?\s*)?(?:=|:|of|is|to|equal to)?\s*"
        depth = self.count_of(
            rf"(?:depth|tiers?\)?|max_?depth|truncation level|cut-?off(?= at (?:tier|level)))(?: at (?:tier|level))?{behind}{number}\b",
            rf"{number}[\s-]+(?:tiers?|levels? deep)\b",
        )
        kinds = r"(?:Matsubara|Pad[eé]|exponential)"
        terms = self.count_of(
            rf"{kinds}[\s-]+(?:terms?|frequenc(?:y|ies)|exponents?|modes?|cutoff){behind}{number}\b(?!\s*{kinds})",
            rf"{number}\s+(?:\w+\s+)?{kinds}", rf"\bN_?\{{?k\}}?\s*=\s*{number}\b",
        )  # fmt: skip
        if depth == -1 or terms == -1:
            return Question(
                text="The task gives several values for the depth or the terms of the hierarchy. Which one?"
            )
        if depth is None:
            depth = 4
            self.assumed.append("No depth of the hierarchy is given; 4 is used and compared with a shallower one.")
        if terms is None:
            terms = 2
            self.assumed.append(
                "No number of Matsubara terms is given; 2 are used, and what more would do is reported."
            )
        return depth, terms

    def count_of(self, *patterns: str) -> int | None:
        """The one number that the patterns find; None without any, -1 for several."""
        found = [match for pattern in patterns for match in self.account.every(pattern)]
        values = {0 if match[1].lower() == "no" else integer(match[1]) for match in found}
        if len(values) > 1:
            return -1
        return values.pop() if values else None

    def terminator(self) -> bool:
        without = self.account.find(r"(?:without|no) (?:a |the )?(?:Tanimura |Ishizaki[- ]Tanimura )?terminator")
        if without:
            return False
        if self.account.find(r"(?:with|using|include|add)[^.;]{0,20}terminator"):
            return True
        self.assumed.append(
            "No terminator is asked for, so that the bath is cut at the given terms; its effect is reported."
        )
        return False

    # beginning and end

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
            r"(?:superposition|coherent(?:ly)?|delocali[sz]ed)[^.;]{0,50}?sites? (\d+) and (?:site )?(\d+)|superposition of (?:the )?(both|two) sites"
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
            r"(?:locali[sz]ed|starts?|begins?|created|placed|born|injected|lands?|arrives?|initial\w*|prepared|sits|excited|excitation|excite)[^.;\n]{0,60}?\b(?:on|at|in)?\s*(?:the\s+)?(?:site|pigment|chromophore|monomer|dye|molecule|dot)\s*(\d+|one|two|three)"
        ) or self.account.find(r"\b(?:site|pigment|dye|molecule|chromophore|monomer)\s*(\d+)\s+(?:is\s+)?(?:initially\s+)?(?:excited|populated|occupied)")  # fmt: skip
        word = on[1] if on else None
        if word is None:
            named = self.account.find(
                r"\b(?:on|at|in|onto)\s+(?:the\s+)?(first|second|donor|acceptor|last)\s*(?:site|pigment|molecule|dye)?|\b(?:the\s+)?(first|second|donor|acceptor|last)(?:\s+(?:site|pigment|molecule|dye))?\s+(?:is|starts|being)\s+(?:initially\s+)?(?:excited|populated|occupied)"
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
            r"coherences?[^.;]{0,40}?(?:sites?|between)\s+(?:sites?\s+)?(\d+) and (?:site )?(\d+)|rho_\{?(\d)\s*,?\s*(\d)\}?") if m[1]]  # fmt: skip
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
