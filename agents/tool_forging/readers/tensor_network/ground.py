"""Reads tasks about ground states of spin-1/2 chains and rings by DMRG."""

from __future__ import annotations

import math
import re
from typing import Literal

from pydantic import ValidationError

from labwright.agents.call import Question
from labwright.agents.tool_forging.readers.base import Reading, Unread
from labwright.agents.tool_forging.readers.framed import Framed, WordReader
from labwright.agents.tool_forging.readers.language.assignments import Assignment, resolved
from labwright.agents.tool_forging.readers.language.body import Body
from labwright.agents.tool_forging.readers.language.numbers import integer
from labwright.agents.tool_forging.readers.tensor_network.formulas import Formula
from labwright.agents.tool_forging.readers.tensor_network.ground_observables import observables
from labwright.agents.tool_forging.readers.tensor_network.models import hamiltonian
from labwright.agents.tool_forging.readers.tensor_network.words import (
    VOCABULARY,
    bond_dimension,
    open_or_ring,
    sizes,
    spin_half,
)
from labwright.tools.forge.families.tensor_network.ground_spec import GroundSpec, Observable, Pattern, symmetry

_MEANT = re.compile(r"(?<!TD-)(?<!TD)\b(?:i?DMRG|density[- ]matrix renormali[sz]ation)\b", re.I)
_GROUND = re.compile(r"\bground[- ]states?\b|lowest (?:energy|eigen)", re.I)
_TOOL = re.compile(
    r"\bTeNPy\b|tensor[- ]networks?|matrix[- ]product|\bMPS\b|bond[- ]dimension|\bstates (?:are )?kept\b", re.I
)
_FOREIGN = re.compile(
    r"\b(?:TD-?DMRG|TEBD|TDVP|Floquet|Gibbs|thermal|imaginary[- ]time|purification|real[- ]time|time evolution|"
    r"quench)\b",
    re.I,
)
_OTHER = re.compile(
    r"\b(?:iDMRG|infinite(?:ly long)? (?:chain|DMRG|MPS)|spin-1(?!/)|spin-3/2|S\s*=\s*1(?![./\d])|AKLT|"
    r"bilinear|Hubbard|(?<!free )(?<!free-)fermions?(?! reference)|bosons?|t-?J"
    r"|ladder|cylinder|two-dimensional|2D|long[- ]range|random (?:fields?|couplings?)|disorder(?:ed)?|excited "
    r"states?|energy gap|spectral gap|gap"
    r"|dimeri[sz]ed|alternating|staggered|structure factor|fidelity susceptibility|spectral function|"
    r"correlation length|heat[ _]capacity|susceptibilit\w+)\b"
)
_EXPECTED = (
    r"\b(?:I|[Ww]e) expect\b[^.;:]{0,60}?\benerg(?:y|ies)(?: per site)?(?: of| is| exactly| about| near| at| be)+ "
    r"(?P<value>-?\d+(?:\.\d+)?(?:\s*/\s*\d+)?) per (?:site|spin)\b"
)
Want = Literal["critical_point", "energy_per_site", "central_charge"]


def _is_meant(text: str) -> bool:
    named = _MEANT.search(text) or (_GROUND.search(text) and _TOOL.search(text))
    return named is not None and not _FOREIGN.search(text)


class _Task(Framed):
    """One task on the way to its specification."""

    def whole(self) -> Reading | Question | Unread:
        found = sizes(self.account, self.sets)
        if not found:
            return Question(text="How many sites does the chain have?")
        boundary = open_or_ring(self.account)
        if boundary is None:
            boundary = "open"
            self.assumed.append("No boundary is named; the chain has open ends. A ring would have other energies.")
        swept = self.parameter()
        if isinstance(swept, Question):
            return swept
        rows = self.couplings(*swept)
        if isinstance(rows, Question | Unread):
            return rows
        made = self.specified(found, boundary, swept, rows)
        if isinstance(made, Unread):
            return made
        self.remarks(made)
        return self.answer("ground_state_chain", made, "ground-state tasks")

    def specified(
        self,
        found: list[int],
        boundary: Literal["open", "periodic"],
        swept: tuple[str, list[float]],
        rows: tuple[list[Pattern], list[list[float]], str, bool],
    ) -> GroundSpec | Unread:
        patterns, couplings, told, spins = rows
        name, values = swept
        watched = observables(self.account, spins, patterns)
        if isinstance(watched, Unread):
            return watched
        chi = bond_dimension(self.account, self.sets)
        if chi is None:
            chi = 100
            self.assumed.append(
                "No bond dimension is given; at most 100 is used, and the variance tells whether it is enough."
            )
        label, abscissae = self.abscissa(name, values)
        wants = self.wants(name, watched)
        try:
            return GroundSpec(
                title=self.body.title, sizes=found, boundary=boundary, patterns=patterns, parameter=name, values=values,
                couplings=couplings, abscissa=label, abscissae=abscissae, chi_max=chi, observables=watched,
                conserve=symmetry(patterns, couplings), wants=wants, formula=told,
            )  # fmt: skip
        except ValidationError as wrong:
            return Unread(self.body.title, str(wrong.errors()[0]["msg"]))

    def remarks(self, spec: GroundSpec) -> None:
        """What a text says besides and what follows from the specification is understood."""
        self.account.every(
            r"\b(?:one|two|three)-dimensional\b|\b1D\b|indices? modulo|\bin \[0\b|\bS\s*=\s*sigma/2|"
            r"\b(?:not|no|instead of|rather than) (?:the )?(?:Pauli|spin) (?:matrices|operators)\b|"
            r"\b(?:zero temperature|temperature zero|T\s*=\s*0)\b(?!\.\d)"
        )
        spin_half(self.account)
        if "critical_point" in spec.wants:
            self.account.every(
                r"\b(?:slope|change|changes)\b[^.;]{0,30}\b(?:largest|steepest|strongest)\b|\bsteepest\b"
            )
        if spec.parameter and any(one.kind == "half_entropy" for one in spec.observables):
            self.account.every(
                r"\bentropy (?:is|becomes) (?:largest|maximal|highest)\b|\b(?:largest|highest) entropy\b"
            )
        for hoped in re.finditer(_EXPECTED, self.text):  # what a person expects to come out sets nothing
            self.account.use(*hoped.span("value"))
        if any(max(one.offsets) - min(one.offsets) == 2 for one in spec.patterns):
            self.account.every(r"\bnext[- ](?:to[- ])?nearest\b|\bfrustrat\w+")
        if spec.boundary == "periodic":  # "site L is site 0 again"
            self.account.every(
                r"\b(?:the )?(?:site|spin|index) [LN] (?:is|equals|means|being) (?:the )?(?:site|spin|"
                r"index) 0\b(?: again)?|"
                r"\b(?:S|Z|sigma)_\{?[LN]\}?\s*(?:=|equiv)\s*(?:S|Z|sigma)_\{?0\}?"
            )
        self.account.held = {float(one) for one in (*spec.sizes, *spec.values, spec.chi_max)}

    def wants(self, name: str, watched: list[Observable]) -> list[Want]:
        """What is derived from energies and observables; a central charge needs entropies."""
        whole, found = self.body.task.text, list[Want]()
        critical = r"critical[_ ]point|phase transition|critical (?:value|coupling|field|theta|J)"
        if name and re.search(critical, whole, re.I):
            found.append("critical_point")
        if re.search(
            r"energy_per_site|energ(?:y|ies) (?:per|divided by (?:the )?(?:number of )?)\s*(?:sites?|spins?|\d+)|"
            r"\b(?:same|it|them|each)\s+divided by (?:the )?(?:number of (?:sites|spins)|length)|"
            r"energy density|\bE_?\{?0?\}?\s*/\s*[LN]\b|per[- ](?:site|spin) (?:ground[- ]state )?energ",
            self.text + whole,
            re.I,
        ):
            found.append("energy_per_site")
        if re.search(r"central[ _]charge", whole, re.I):
            found.append("central_charge")
            if not any(one.kind == "entropy" for one in watched):
                watched.append(Observable(kind="entropy"))
        return found

    # what is swept

    def parameter(self) -> tuple[str, list[float]] | Question:
        """Name and values of the swept symbol; ("", [0]) without one."""
        several = [
            one
            for one in self.sets
            if self.may_sweep(one) and (len(one.numbers.items) > 1 or one.numbers.kind in {"range", "interval"})
        ]
        names = list(dict.fromkeys(one.key for one in several))
        if len(names) > 1:
            return Question(text="Several parameters have several values. Which one is swept?", options=names)
        if not several:
            return "", [0.0]
        for one in several:
            self.account.use(one.start, one.end)
        best = max(several, key=lambda one: (one.numbers.points or 0, one.numbers.step or 0, len(one.numbers.items)))
        return best.key, [round(one, 12) for one in self.grid(best)]

    def may_sweep(self, one: Assignment) -> bool:
        if one.key in {"N", "L", "n", "chi", "chimax", "i", "j", "r", "d"} or one.numbers.unit:
            return False
        if one.key == "D" and all(item.value_or_none() in range(8, 10_000) for item in one.numbers.items):
            return False  # bond dimensions
        return all(not item.names for item in one.numbers.items)

    def grid(self, one: Assignment) -> list[float]:
        if one.numbers.kind not in {"range", "interval"}:
            return one.numbers.values()
        low, high = (item.value({}) for item in one.numbers.items)
        if one.numbers.points or one.numbers.step:
            return one.numbers.values()
        said = self.account.find(
            rf"(?:at\s+)?(?:least\s+)?(\d+|[a-z]+)\s+(?:or more\s+)?(?:equally spaced |evenly spaced |"
            rf"different )?(?:values|points)(?:\s+or more)?(?:\s+(?:of|in|for)\s+{one.name})?"
        )
        asked = integer(said[1]) if said else None
        exact = said and not re.search(r"least|or more", said[0])
        points = asked if asked and exact else max(asked or 0, 21)
        if not exact:
            self.assumed.append(f"{points} equally spaced values of {one.name} are computed.")
        return [low + (high - low) * k / (points - 1) for k in range(points)]

    def abscissa(self, name: str, values: list[float]) -> tuple[str, list[float]]:
        """What curves are drawn against, if the text gives it as a function of the swept parameter."""
        if not name:
            return "", []
        match = re.search(rf"(?<![\w(])([A-Za-z]\w*)\s*=\s*(cos|sin|tan)\(\s*{name}\s*\)", self.text)
        drawn = (
            re.search(r"(?:against|versus|vs\.?|as a function of)[^.;\n]{0,40}?" + re.escape(match[1]), self.text)
            if match
            else None
        )
        if match is None or drawn is None:
            return name, []
        function = {"cos": math.cos, "sin": math.sin, "tan": math.tan}[match[2]]
        return f"{match[1]} = {match[2]}({name})", [function(one) for one in values]

    # the Hamiltonian

    def couplings(
        self, name: str, values: list[float]
    ) -> tuple[list[Pattern], list[list[float]], str, bool] | Question | Unread:
        """Patterns, their coefficients at each value, the formula, and whether it is written with spins."""
        rows: list[Formula] = []
        told = ""
        fixed = {key: found[0] for key, found in resolved(self.sets).items() if len(found) == 1 and key != name}
        for value in values:
            made = hamiltonian(self.account, fixed | ({name: value} if name else {}), self.sets)
            if isinstance(made, Question | Unread):
                return made
            rows.append(made.formula)
            told = made.told
            self.assumed += [one for one in made.assumed if one not in self.assumed]
        keys = list(dict.fromkeys(key for row in rows for key in row.terms))
        patterns = [Pattern(letters=letters, offsets=list(offsets)) for letters, offsets in keys]
        return patterns, [[row.terms.get(key, 0.0) for key in keys] for row in rows], told, rows[0].spins


def _whole(body: Body) -> Reading | Question | Unread:
    return _Task(body, VOCABULARY).whole()


READER = WordReader(
    "ground_state_chain",
    _is_meant,
    _OTHER,
    "The book has DMRG for ground states of uniform spin-1/2 chains and rings.",
    _whole,
)
