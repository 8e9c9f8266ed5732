"""Reads tasks about excitons on coupled sites with Drude-Lorentz baths, to be solved with hierarchical equations."""

from __future__ import annotations

import re

from pydantic import ValidationError

from labwright.agents.call import Question
from labwright.agents.tool_forging.readers.base import Reading, TaskText, Unread
from labwright.agents.tool_forging.readers.heom.baths import Baths
from labwright.agents.tool_forging.readers.heom.times import duration, grid, n_times, time_unit
from labwright.agents.tool_forging.readers.language.absences import ABSENT, without_absences
from labwright.agents.tool_forging.readers.language.body import Body
from labwright.agents.tool_forging.readers.language.quantities import NAMES
from labwright.tools.forge.families.heom.spec import HeomSpec

_MEANT = re.compile(
    r"\bHEOM\b|hierarch(?:y|ical)[- ]equations?[- ]of[- ]motion|hierarchical equations|"
    r"\bDrude\b(?=.*\b(?:tiers?|Matsubara|hierarchy|depth)\b)|\b(?:tiers?|Matsubara|hierarchy)\b(?=.*\bDrude\b)",
    re.I | re.S,
)
_OTHER = re.compile(
    r"(?<!overdamped )\b(?:Brownian|underdamped|(?:sub-?|super-?)?Ohmic|Lorentzian bath|Redfield|Lindblad|"
    r"Förster|Forster|TEDOPA"
    r"|path integral|fermionic|vibronic|absorption spectr\w+|2D spectr\w+|trap(?:s|ping|ped)?|sinks?|(?:static "
    r")?disorder\w*|"
    r"shared bath|common bath|correlated baths|laser|two excitations|biexciton\w*|spectrum|"
    r"bar (?:chart|plot|graph)s?|"
    r"as bars|histograms?|heat ?maps?|(?:exciton(?:ic)?|energy) basis|populations? of (?:the |each )?(?:excitons?|"
    r"exciton (?:states?|levels?)|eigenstates?)|(?:exciton|eigenstate) populations?|trace distance|"
    r"distance (?:to|from) equilibrium|transfer (?:rates?|times?|efficienc\w+))\b(?! (?:with an|"
    r"with a|environment with))",
    re.I,
)
# light that only makes the state of the beginning, at once
_KICK = (
    r"\b(?:laser|laser pulse|light)\s+(?:(?:only|initially|first)\s+)?(?:excites?|prepares?|populates?)\s+"
    r"(?:[^.;\d]{0,30}\s)?(?:at (?:time |t ?= ?)(?:zero|0)\b|at the (?:beginning|start)\b|initially\b)"
)
_NOT_OTHER = re.compile(
    rf"{_KICK}|"
    r"\b(?:uncorrelated baths|Drude[^.;]{0,20}spectrum|oscillator[^.;]{0,20}spectrum|without (?:any )?(?:traps?|"
    r"sinks?|disorder))",
    re.I,
)


# what these tasks can say to be left out beside the usual things
_ABSENT = ABSENT | frozenset("trap traps trapping sink sinks vibronic laser redfield lindblad brownian".split())


class HeomReader:
    """See `labwright.agents.tool_forging.readers.base.Reader`."""

    family = "heom"

    def read(self, task: TaskText) -> Reading | Question | Unread | None:
        """Read the task if it names the hierarchical equations of motion."""
        body = Body(task)
        if not _MEANT.search(body.text):
            return None
        other = _OTHER.search(without_absences(_NOT_OTHER.sub(lambda m: " " * len(m[0]), body.text), _ABSENT))
        if other:
            return Unread(
                body.original(*other.span()), "The book has Drude-Lorentz baths on sites in HEOM, nothing else."
            )
        return _Task(body).whole()


class _Task(Baths):
    """Puts the parts together."""

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
        times = grid(self.account, self.filled)
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
                title=self.body.title, hamiltonian=hamiltonian, first_site=first, site_names=self.site_names(),
                cases=cases, depth=depth, terms=terms,
                expansion=self.expansion(), terminator=self.terminator(),
                initial=[[[float(v.real), float(v.imag)] for v in row] for row in rho], initial_name=initial_name,
                duration=whole, n_times=n_times(times, whole), time_unit=time_unit(self.account), coherences=pairs,
                wants=["purity"] if re.search(r"\bpurity\b", self.task_text, re.I) else [],
            )  # fmt: skip
        except ValidationError as wrong:
            return Unread(self.body.title, str(wrong.errors()[0]["msg"]))
        for match in NAMES.finditer(self.text):
            self.account.use(*match.span())
        self.account.every(
            r"overdamped Brownian|sqrt\(2\)|\b1\s*/\s*gamma\b|\b(?:sites?|dyes?|pigments?|molecules?|monomers?|"
            r"chromophores?|labelled|"
            r"numbered)\s+(?:\d(?:\s*,\s*|\s+and\s+|\s*-\s*)?)+|\b1 ?/ ?cm|cm\^-?\{?-?1\}?|\b(?:two|three|four|"
            r"five|six|seven|\d+)[- ](?:site|level|pigment|molecule)s?\b"
        )
        self.account.every(_KICK)
        self.account.every(
            r"^[ \t>*-]*(?:out(?:put)?|results?|figure|fig|plot|item|question)[ \t]*\.?[ \t]*\d[ \t]*:", re.I | re.M
        )
        doubt = self.account.doubt()
        if doubt:
            return Unread(doubt[0], f"{doubt[1]!r} in it is nothing that the reader of HEOM tasks knows.")
        return Reading("heom", spec, self.account.covered(), self.assumed)
