"""Reads tasks about ground states of spin-1/2 chains and rings by DMRG."""

from __future__ import annotations

import math
import re
from typing import Literal

from pydantic import ValidationError

from labwright.agents.call import Question
from labwright.agents.tool_forging.readers.base import Reading, TaskText, Unread
from labwright.agents.tool_forging.readers.language.absences import without_absences
from labwright.agents.tool_forging.readers.language.accounting import Account
from labwright.agents.tool_forging.readers.language.assignments import Assignment, assignments, resolved
from labwright.agents.tool_forging.readers.language.body import Body
from labwright.agents.tool_forging.readers.language.deliverables import wanted
from labwright.agents.tool_forging.readers.language.numbers import integer
from labwright.agents.tool_forging.readers.language.operators import UnknownSymbol
from labwright.agents.tool_forging.readers.language.spin_operators import plain_operators
from labwright.agents.tool_forging.readers.tensor_network.formulas import Formula, NotASpinChain, formula_at
from labwright.agents.tool_forging.readers.tensor_network.models import (
    HAMILTONIAN,
    listed_terms,
    named_model,
)
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
_TOOL = re.compile(r"\bTeNPy\b|tensor[- ]networks?|matrix[- ]product|\bMPS\b", re.I)
Want = Literal["critical_point", "energy_per_site", "central_charge"]
# an expectation value of two operators
_TWO = re.compile(r"<\s*(?:[XYZ]|S[xyz]?|sigma)_?[^<>|\s]{0,10}\s*\*?\s*(?:[XYZ]|S[xyz]?|sigma)_?[^<>|]{0,12}>")
_FOREIGN = re.compile(
    (
        r"\b(?:TD-?DMRG|TEBD|TDVP|Floquet|Gibbs|thermal|imaginary[- ]time|purification|real[- ]time|time evolution|"
        r"quench)\b"
    ),
    re.I,
)
_OTHER = re.compile(
    r"\b(?:iDMRG|infinite(?:ly long)? (?:chain|DMRG|MPS)|spin-1(?!/)|spin-3/2|S\s*=\s*1(?![./\d])|AKLT|"
    r"bilinear|Hubbard|(?<!free )(?<!free-)fermions?(?! reference)|bosons?|t-?J"
    r"|ladder|cylinder|two-dimensional|2D|long[- ]range|random (?:fields?|couplings?)|disorder(?:ed)?|excited "
    r"states?|energy gap|spectral gap|gap"
    r"|dimeri[sz]ed|alternating|staggered|structure factor|fidelity susceptibility|spectral function|"
    r"correlation length)\b"
)
_EXPECTED = (
    r"\b(?:I|[Ww]e) expect\b[^.;:]{0,60}?\benerg(?:y|ies)(?: per site)?(?: of| is| exactly| about| near| at| be)+ "
    r"(?P<value>-?\d+(?:\.\d+)?(?:\s*/\s*\d+)?) per (?:site|spin)\b"
)


class GroundStateReader:
    """See `labwright.agents.tool_forging.readers.base.Reader`."""

    family = "ground_state_chain"

    def read(self, task: TaskText) -> Reading | Question | Unread | None:
        """Read the task if it wants ground states by DMRG."""
        body = Body(task)
        named = _MEANT.search(body.text) or (_GROUND.search(body.text) and _TOOL.search(body.text))
        if not named or _FOREIGN.search(body.text):
            return None
        other = _OTHER.search(without_absences(body.text))
        if other:
            return Unread(
                body.original(*other.span()),
                "The book has DMRG for ground states of uniform spin-1/2 chains and rings.",
            )
        return _Task(body).whole()


class _Task:
    """One task on the way to its specification."""

    def __init__(self, body: Body) -> None:
        self.body, self.text = body, body.text
        self.account = Account(body, VOCABULARY)
        self.assumed: list[str] = []
        self.sets = assignments(body.plain)
        self.spins = False

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
        name, values = swept
        rows = self.couplings(name, values)
        if isinstance(rows, Question | Unread):
            return rows
        patterns, couplings, told = rows
        observables = self.observables()
        if isinstance(observables, Unread):
            return observables
        chi = bond_dimension(self.account, self.sets)
        if chi is None:
            chi = 100
            self.assumed.append(
                "No bond dimension is given; at most 100 is used, and the variance tells whether it is enough."
            )
        label, abscissae = self.abscissa(name, values)
        wants = self.wants(name, observables)
        self.account.every(r"\b(?:one|two|three)-dimensional\b|\b1D\b|indices? modulo|\bin \[0\b|\bS\s*=\s*sigma/2")
        spin_half(self.account)
        try:
            spec = GroundSpec(
                title=self.body.title, sizes=found, boundary=boundary, patterns=patterns, parameter=name, values=values,
                couplings=couplings, abscissa=label, abscissae=abscissae, chi_max=chi, observables=observables,
                conserve=symmetry(patterns, couplings), wants=wants, formula=told,
            )  # fmt: skip
        except ValidationError as wrong:
            return Unread(self.body.title, str(wrong.errors()[0]["msg"]))
        for hoped in re.finditer(_EXPECTED, self.text):  # what a person expects to come out sets nothing
            self.account.use(*hoped.span("value"))
        if any(max(one.offsets) - min(one.offsets) == 2 for one in patterns):
            self.account.every(r"\bnext[- ](?:to[- ])?nearest\b")
        self.account.held = {float(one) for one in (*found, *values, chi)}
        doubt = self.account.doubt()
        if doubt:
            return Unread(doubt[0], f"{doubt[1]!r} in it is nothing that the reader of ground-state tasks knows.")
        return Reading("ground_state_chain", spec, self.account.covered(), self.assumed)

    def wants(self, name: str, observables: list[Observable]) -> list[Want]:
        """What is derived from energies and observables; a central charge needs entropies."""
        whole, found = self.body.task.text, list[Want]()
        critical = r"critical[_ ]point|phase transition|critical (?:value|coupling|field|theta|J)"
        if name and re.search(critical, whole, re.I):
            found.append("critical_point")
        if re.search(r"energy_per_site|energ(?:y|ies) per (?:site|spin)|energy density", whole, re.I):
            found.append("energy_per_site")
        if re.search(r"central[ _]charge", whole, re.I):
            found.append("central_charge")
            if not any(one.kind == "entropy" for one in observables):
                observables.append(Observable(kind="entropy"))
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
        return best.key, self.grid(best)

    def may_sweep(self, one: Assignment) -> bool:
        if one.key in {"N", "L", "n", "chi", "chimax", "D", "i", "j"} or one.numbers.unit:
            return False
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

        )  # fmt: skip
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
    ) -> tuple[list[Pattern], list[list[float]], str] | Question | Unread:
        rows: list[Formula] = []
        told = ""
        for value in values:
            made = self.formula({name: value} if name else {})
            if not isinstance(made, tuple):
                return made
            rows.append(made[0])
            told = made[1]
        self.spins = rows[0].spins
        keys = list(dict.fromkeys(key for row in rows for key in row.terms))
        patterns = [Pattern(letters=letters, offsets=list(offsets)) for letters, offsets in keys]
        return patterns, [[row.terms.get(key, 0.0) for key in keys] for row in rows], told

    def formula(self, swept: dict[str, float]) -> tuple[Formula, str] | Question | Unread:
        known = {
            key: found[0] for key, found in resolved(self.sets).items() if len(found) == 1 and key not in swept
        } | swept
        text = plain_operators(self.text, self.defined())
        missing = ""
        for match in re.finditer(HAMILTONIAN, text):
            try:
                found = formula_at(text, match.end(), known)
            except UnknownSymbol as unknown:
                missing = missing or unknown.name
                continue
            except NotASpinChain as strange:
                return Unread(
                    text[match.start() : match.end() + 60],
                    f"The Hamiltonian holds {strange.words}, which is no uniform sum of Pauli strings.",
                )
            if found is not None:
                self.use_formula()
                return found, " ".join(text[match.end() : found.end].split())
        if missing:
            return Question(text=f"What is the value of {missing} in the Hamiltonian?")
        listed = listed_terms(self.account)
        return (listed, "as listed in the task") if listed is not None else self.named(known)

    def use_formula(self) -> None:
        """The lines of the formula and of its definitions are understood."""
        for match in re.finditer(
            r"(?<![\w|<])(?:H|[A-Z])(?:_\{?\w+\}?)?(?:\s*\([^()=]{1,20}\))?\s*=\s*[^\n;]*", self.text
        ):
            if re.search(r"[XYZ]_|sigma|S_|S\^|S[xyz]|K_|sum", match[0]):
                stop = re.search(r"(?<! )\.\s|,\s+(?:with|where|theta|and)", match[0])
                self.account.use(match.start(), match.start() + (stop.start() if stop else len(match[0])))
                self.account.use_symbols(self.sets, match[0])

    def defined(self) -> dict[str, str]:
        """Operators that the text defines for itself: ``K_i = Z_{i-1} X_i Z_{i+1}``."""
        found = {}
        for match in re.finditer(
            r"(?<![A-Za-z_])([A-Z])_\{?i\}?\s*=\s*((?:\s*(?:[XYZ]|sigma\^?_?[xyz]?)_\{?i(?:[+-]\d)?\}?(?:\^[xyz])?)+)",
            self.text,
        ):
            found[match[1]] = match[2].strip()
            self.account.use(*match.span())
        return found

    def named(self, known: dict[str, float]) -> tuple[Formula, str] | Question | Unread:
        """A model by its name, in the usual convention."""
        made = named_model(self.account, known, self.sets)
        if isinstance(made, Question):
            return made
        self.assumed += [one for one in made.assumed if one not in self.assumed]
        return made.formula, made.told

    # what is measured

    def observables(self) -> list[Observable] | Unread:
        whole, made = self.body.task.text, []
        scale = 0.5 if self.spins else 1.0
        if re.search(r"string[- _](?:order|operator|correlat)", whole, re.I):
            pattern = re.search(
                r"Z\s*X\s*I\s*X\s*I\s*X|Z_?\{?1\}?[^.\n]{0,60}?(?:even|prod)[^.\n]{0,60}?Z_?\{?N\}?", self.text
            )
            if pattern is None:
                where = re.search(r"[^.\n]*string[- ](?:order|operator|correlat)[^.\n]*", self.text, re.I)
                return Unread(
                    where[0].strip() if where else "string order",
                    "The string operator known is that of the cluster phase, Z X 1 X ... X Z.",
                )
            for one in self.account.every(r"[^.\n]*(?:Z\s*X\s*I\s*X|Z_?\{?1\}?\s*\(?)[^.\n]*"):
                self.account.use(*one.span())
            made.append(Observable(kind="string"))
        for letter in self.magnetised():
            made.append(Observable(kind="site", letters=letter, scale=scale))
        if (
            re.search(
                r"correlator|correlation function|spin[- ]spin correlation|two-point|correlations? (?:<|between)",
                self.text,
                re.I,
            )
            or _TWO.search(self.text)
            or wanted(self.body.wanted, "correlator")
        ):
            self.account.every(
                r"\b(?:r|distances?|separations?)\s*(?:up to|from \d+ to|<=?|=|of)+\s*\d+|"
                r"up to (?:r = )?\d+ (?:sites|apart)"
            )
            letters = re.search(r"<\s*(X|Y|Z|S[xyz]|sigma_?\^?[xyz])_?\{?\w*\}?\^?([xyz]?)", self.text)
            letter = (letters[2] or letters[1][-1]).upper() if letters else "Z"
            made.append(Observable(kind="correlator", letters=letter * 2, scale=scale**2))
        if re.search(r"entropy|entangle", whole, re.I):
            half = re.search(
                (
                    r"half[- ](?:chain|the chain|system)|(?:middle|central|centre|center|"
                    r"mid-?chain)[^.;\n]{0,20}(?:cut|bond)|bipartit|half of the"
                ),
                self.text,
                re.I,
            )
            profile = re.search(
                (
                    r"(?:each|every|all|profile)[^.;\n]{0,25}(?:cut|bond)|entropy profile|profile of the|`cut`|"
                    r"block (?:length|size)|function of (?:the )?(?:cut|position|bond|block|subsystem)"
                ),
                whole,
                re.I,
            )
            if half or not profile:
                made.append(Observable(kind="half_entropy"))
            if profile:
                made.append(Observable(kind="entropy"))
        return made

    def magnetised(self) -> list[str]:
        text = _TWO.sub(" ", self.text)
        items = wanted(self.body.wanted, "magnetisation")
        spoken = re.findall(
            (
                r"(?i:average|mean|expectation(?: values?)?)\s+(?:value\s+)?of\s+(?:sigma_?)?([XYZxyz])\b|"
                r"<\s*([XYZ])(?:_\{?\w+\}?)?\s*>"
            ),
            text,
        )
        told = [(one or other).upper() for one, other in spoken if (one or other).upper() in "XZ"]
        if told and not items:
            self.account.every(r"(?i:average|mean|expectation(?: values?)?)\s+(?:value\s+)?of\s+(?:sigma_?)?[XZxz]\b")
            return list(dict.fromkeys(told))
        if not items and not re.search(r"magneti[sz]ation|<\s*(?:S_?\{?[xyz]|[XYZ]_|sigma)", text):
            return []
        asked = [value.value for item in items for value in item.labels.get("axis", ())]
        letters = [one.upper() for one in asked if one in {"x", "y", "z"}]
        along = r"magneti[sz]ations?[^.;\n]{0,30}?\b(?:along|in) (?:the )?([xz])\b"
        letters += [one.upper() for one in re.findall(along, text)]
        if re.search(
            r"transverse magneti[sz]ation|<\s*X_\{?\w*\}?\s*>|x[- ]magneti[sz]ation|magneti[sz]ation along x|"
            r"<\s*S_?\{?\w*\}?\^?x\s*>",
            text,
        ):
            letters.append("X")
        if (
            re.search(
                r"<\s*Z_\{?\w*\}?\s*>|z[- ]magneti[sz]ation|longitudinal magneti[sz]ation|magneti[sz]ation along z",
                text,
            )
            or not letters
        ):
            letters.append("Z")
        return list(dict.fromkeys(letters))
