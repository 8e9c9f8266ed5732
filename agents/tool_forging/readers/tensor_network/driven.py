"""Reads tasks about periodically driven spin-1/2 chains, with or without disorder, by TEBD or TD-DMRG."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, cast, get_args

from pydantic import ValidationError

from labwright.agents.call import Question
from labwright.agents.tool_forging.readers.base import Reading, TaskText, Unread
from labwright.agents.tool_forging.readers.language.absences import without_absences
from labwright.agents.tool_forging.readers.language.accounting import Account
from labwright.agents.tool_forging.readers.language.assignments import Assignment, assignments, count, resolved
from labwright.agents.tool_forging.readers.language.body import Body
from labwright.agents.tool_forging.readers.language.deliverables import label_values, wanted
from labwright.agents.tool_forging.readers.language.operators import UnknownSymbol
from labwright.agents.tool_forging.readers.language.spin_operators import plain_operators
from labwright.agents.tool_forging.readers.tensor_network.formulas import Formula, NotASpinChain, formula_at
from labwright.agents.tool_forging.readers.tensor_network.models import HAMILTONIAN
from labwright.agents.tool_forging.readers.tensor_network.words import (
    VOCABULARY,
    bond_dimension,
    sizes,
    spin_half,
)
from labwright.tools.forge.families.tensor_network.driven_spec import DrivenSegment, DrivenSpec, DrivenTerm

_MEANT = re.compile(
    r"\bFloquet\b|periodically[- ](?:driven|kicked)|\bkicked\b|\btime[- ]crystals?\b|"
    r"period[- ]doubling|\bkicks\b|periodic(?:ally)? driv",
    re.I,
)
_TOOL = re.compile(
    r"\bTD-?DMRG\b|time-dependent (?:DMRG|density)|\bTEBD\b|\bTDVP\b|\bMPS\b|matrix[- ]product|\bTenPy\b", re.I
)
_OTHER = re.compile(
    (
        r"\b(?:periodic boundary|\bPBC\b|ring|spin-1(?!/)|long[- ]range|two-dimensional|2D|open system|dissipat\w+|"
        r"random initial|Haar)\b"
    ),
    re.I,
)
_WORDS = VOCABULARY | frozenset(
    """
    alternates kicked kick kicks alternating average averaged bulk conjugate continuous crystal decay decays
    decaying density-matrix discrete disorder disordered distribution doubling drawn drive driven drives driving
    dtc ergodic evolve field fields flip flips floquet global heat heating imperfect imperfection independent
    initialise initialize interaction interactions localisation localised localization long-lived magnetisation
    magnetization many-body maximum oscillate oscillation oscillations period period-doubling periods polarisation
    polarised polarization polarized product product-state pulse pulses random realisation realisations
    realization realizations reachable regime regimes renormalisation rotation segment segments several
    stroboscopic stroboscopically strong subharmonic switch switched td-dmrg tdvp tebd thermalisation thermalise
    thermalization time-dependent truncation uniform uniformly rapid lived seed up down neel néel staggered
    time-step trotter deep delta epsilon dt suzuki order
    """.split()
)
Axis = Literal["x", "y", "z"]
_LINE = r"(?<![\w|<])H(?:_?\{?\w{0,8}\}?)?(?:\(t\))?\s*=\s*[^\n;]*"  # a Hamiltonian and what follows it
_SENTENCE_END = re.compile(r"(?<=[\w)}\]])\.\s+(?=[A-Z<])")
_AXES = {"x": [1.0, 0.0, 0.0], "y": [0.0, 1.0, 0.0], "z": [0.0, 0.0, 1.0]}


@dataclass(frozen=True)
class _Segment:
    """One stretch of the period: its duration and its Hamiltonian at each value of the sweep."""

    duration: float
    plain: list[Formula]
    random: list[Formula]


class DrivenReader:
    """See `labwright.agents.tool_forging.readers.base.Reader`."""

    family = "driven_chain"

    def read(self, task: TaskText) -> Reading | Question | Unread | None:
        """Read the task if a chain is driven periodically and evolved with tensor networks."""
        body = Body(task)
        if not (_MEANT.search(body.text) and _TOOL.search(body.text)):
            return None
        other = _OTHER.search(without_absences(body.text))
        if other:
            return Unread(
                body.original(*other.span()), "The book has TEBD for open spin-1/2 chains with nearest neighbours."
            )
        return _Task(body).whole()


class _Task:
    """One task on the way to its specification."""

    def __init__(self, body: Body) -> None:
        self.body, self.text = body, body.text
        self.account = Account(body, _WORDS)
        self.assumed: list[str] = []
        self.sets = assignments(body.plain)
        values = resolved(self.sets)
        self.disorder = self.random_symbol()
        self.parameter, self.sweep = self.swept(values)
        self.known = {name: found[0] for name, found in values.items() if name != self.parameter and len(found) >= 1}

    def whole(self) -> Reading | Question | Unread:
        found = sizes(self.account, self.sets, ("L", "N"))
        found = [one for one in found if one > 1]
        if len(set(found)) != 1:
            return Question(text="How many spins does the chain have?")
        n = found[0]
        segments = self.segments()
        if isinstance(segments, Question | Unread):
            return segments
        periods = self.whole_number(("Nperiods", "nperiods", "M"), r"(?:Floquet |driving |drive )?(?:periods|cycles)")
        if periods is None:
            return Question(text="For how many periods is the chain driven?")
        start = self.start()
        if isinstance(start, Question):
            return start
        vector, neel, axis = start
        width = self.width()
        if self.disorder and width is None:
            return Question(text=f"From which distribution are the {self.disorder} drawn?")
        spins = any(row.spins for one in segments for row in (*one.plain, *one.random))
        chi, dt = self.precision()
        runs, seed = self.repeats()
        angles = [self.angle(one) for one in segments]
        self.assumed.append(
            "The numbers are taken literally; free spins turn by "
            + ", ".join(f"{one / math.pi:.3g} pi" for one in angles)
            + " in the segments."
        )
        self.account.every(
            r"\b(?:one|two|three|1D)[- ]?dimension(?:s|al)?\b|0\s*<\s*t\s*<\s*\w+|"
            r"\w+\s*<\s*t\s*<\s*T|\b2T\b|\(-\s*\w+\s*,\s*\w+\s*\)|\(\d values\)|about 0\.\d+|~\s*(?:0\.\d+|pi)"
        )
        spin_half(self.account)
        try:
            spec = DrivenSpec(
                title=self.body.title,
                n_sites=n,
                segments=[self.segment(one) for one in segments],
                parameter=self.label(),
                values=self.sweep,
                periods=periods,
                start=vector,
                neel=neel,
                disorder_width=width or 0.0,
                realisations=runs,
                seed=seed,
                dt=dt,
                order=4 if re.search(r"fourth[- ]order", self.text) else 2,
                chi_max=chi,
                axis=axis,
                spin_scale=0.5 if spins else 1.0,
                bulk=self.bulk(n),
                formula=self.told(),
                pulse_angles=angles,
            )
        except ValidationError as wrong:
            return Unread(self.body.title, str(wrong.errors()[0]["msg"]))
        doubt = self.account.doubt()
        if doubt:
            return Unread(doubt[0], f"{doubt[1]!r} in it is nothing that the reader of driven chains knows.")
        return Reading("driven_chain", spec, self.account.covered(), self.assumed)

    def precision(self) -> tuple[int, float]:
        """Bond dimension and time step."""
        chi, dt = bond_dimension(self.account, self.sets), self.number(("dt", "deltat", "Deltat"))
        if chi is None:
            chi = 100
            self.assumed.append("No bond dimension is given; at most 100 is used.")
        if dt is None and (said := self.account.find(r"\b(?:dt|time[- ]?steps?)\s*(?:of|:|=|is)?\s*(\d*\.\d+)")):
            dt = float(said[1])
        if dt is None:
            dt = 0.05
            self.assumed.append(
                "No time step is given; 0.05 is used and compared with the exact state vector where it is small."
            )
        return chi, dt

    def repeats(self) -> tuple[int, int]:
        """Realisations of the disorder and the seed that they come from."""
        words = r"(?:disorder )?(?:reali[sz]ations|samples)"
        runs = self.whole_number(("Ndisorder", "Nreal", "Nrealisations", "R"), words) or 1
        found = self.account.find(r"seed(?:\s*(?:=|of|is)?\s*)(\d+)")
        seed = int(found[1]) if found else 0
        if self.disorder:
            self.assumed.append(f"{self.disorder} of all realisations come from one seed ({seed}); they are recorded.")
        return runs, seed

    def bulk(self, n: int) -> list[int]:
        """Sites whose mean is taken: all, or those away from the ends where the text speaks of the bulk."""
        self.account.find(r"(?:total|mean|average|all sites)[^.;\n]{0,20}magneti[sz]ation")
        if not re.search(r"\bbulk\b", self.text, re.I):
            return list(range(n))
        edge = max(1, n // 5) if n > 4 else 0
        self.assumed.append(
            f"The bulk are the sites {edge} to {n - edge - 1}, counted from 0: {edge} at each end are left out."
        )
        return list(range(edge, n - edge))

    # symbols

    def random_symbol(self) -> str:
        """The symbol that is drawn for each site, by key without its index; empty if nothing is."""
        match = re.search(
            (
                r"([A-Za-z]+)_\{?i\}?\s*(?:are |is |being )?(?:independent(?:ly)? |uniform(?:ly)? |randomly? "
                r")*(?:drawn|distributed|chosen|random|in\s*[\[(]|from)"
            ),
            self.text,
        )
        spoken = re.search(r"(?:drawn|random|disorder)[^.;\n]{0,30}?(?<![A-Za-z])([A-Za-z]+)_\{?i\}?", self.text)
        found = match or spoken
        return found[1] if found and re.search(r"disorder|random|drawn", self.text, re.I) else ""

    def swept(self, values: Mapping[str, list[float]]) -> tuple[str, list[float]]:
        told = self.told()
        several = [
            one
            for one in self.sets
            if re.search(rf"(?<![A-Za-z]){re.escape(one.name)}(?![A-Za-z])", told)
            and len(one.numbers.items) > 1
            and one.numbers.kind != "interval"
            and all(not item.names for item in one.numbers.items)
        ]
        if not several:
            return "", [0.0]
        first = several[0]
        for one in several:
            self.account.use(one.start, one.end)
        return first.key, first.numbers.values()

    def label(self) -> str:
        """The label of the swept parameter as the results section calls it."""
        names = {name for item in wanted(self.body.wanted, "magnetisation") for name in item.labels}
        return (
            self.parameter
            if self.parameter in names or not self.parameter
            else next((name for name in names if name.lower() == self.parameter.lower()), self.parameter)
        )

    def number(self, names: tuple[str, ...]) -> float | None:
        for one in self.sets:
            if one.key in names:
                self.use(one)
        return next((self.known[name] for name in names if name in self.known), None)

    def use(self, one: Assignment) -> None:
        self.account.use(one.start, one.end)

    def whole_number(self, names: tuple[str, ...], words: str) -> int | None:
        value = self.number(names)
        if value is not None:
            return int(value)
        said = count(self.body.plain, words)
        if said is None:
            return None
        self.account.use(said[1], said[2])
        return said[0]

    def width(self) -> float | None:
        for match in re.finditer(
            r"[\[(]\s*-\s*([A-Za-z0-9.]+(?:\s*/\s*2)?)\s*,\s*\+?\s*([A-Za-z0-9.]+(?:\s*/\s*2)?)\s*[\])]", self.text
        ):
            sides = [self.evaluated(one) for one in match.groups()]
            if sides[0] is not None and sides[0] == sides[1]:
                self.account.use(*match.span())
                for one in self.sets:
                    if one.key in {"W", "h", "Deltamax"}:
                        self.use(one)
                return sides[0]
        strength = self.number(("W",))
        if strength is not None and self.disorder:
            self.assumed.append(f"Disorder is drawn uniformly from (-W, W) with W = {strength:g}.")
        return strength

    def evaluated(self, text: str) -> float | None:
        plain = text.replace(" ", "")
        half = plain.endswith("/2")
        name = plain.removesuffix("/2")
        value = float(name) if re.fullmatch(r"\d*\.?\d+", name) else self.known.get(name)
        return None if value is None else value / (2 if half else 1)

    # the drive

    def segments(self) -> list[_Segment] | Question | Unread:
        """Hamiltonians of the text in order, with the durations tau1, tau2, ... or T1, T2."""
        text = plain_operators(self.text, {})
        shared = re.search(r"J\s*\(\s*S_\{i\}\^x.*?\)(?=[.,;\s]*(?:\n|$|,|\.))", text)
        if shared:
            text = re.sub(r"H_\{?i,\s*i\+1\}?", lambda _: shared[0], text)
        found: list[tuple[list[Formula], list[Formula]]] = []
        for match in re.finditer(HAMILTONIAN, text):
            made = self.both(text, match.end())
            if isinstance(made, Question | Unread):
                return made
            if made is not None:
                found.append(made)
        if not found:
            return Question(text="What are the Hamiltonians of the segments of a period?")
        durations = [self.number((f"tau{k + 1}", f"T{k + 1}", f"t{k + 1}")) for k in range(len(found))]
        if any(one is None for one in durations):
            single = self.number(("T", "tau"))
            if len(found) == 1 and single is not None:
                durations = [single]
            else:
                return Question(text="How long are the segments of a period?")
        self.use_formulas()
        return [_Segment(float(d or 0), plain, random) for d, (plain, random) in zip(durations, found, strict=True)]

    def both(self, text: str, place: int) -> tuple[list[Formula], list[Formula]] | Question | Unread | None:
        """The Hamiltonian without disorder, and what each drawn number multiplies, at each value of the sweep."""
        plain: list[Formula] = []
        random: list[Formula] = []
        for value in self.sweep:
            names = self.known | ({self.parameter: value} if self.parameter else {})
            try:
                if not self.disorder:
                    without = formula_at(text, place, names)
                    full = without
                else:
                    symbol = f"{self.disorder}i"
                    without = formula_at(text, place, names | {symbol: 0.0})
                    full = formula_at(text, place, names | {symbol: 1.0})
            except UnknownSymbol as missing:
                return Question(text=f"What is the value of {missing.name} in the Hamiltonian?")
            except NotASpinChain as strange:
                return Unread(text[place : place + 60], f"The Hamiltonian holds {strange.words}.")
            if without is None or full is None:
                return None
            keys = [key for key in full.terms if abs(full.terms[key] - without.terms.get(key, 0.0)) > 1e-12]
            plain.append(without)
            random.append(
                Formula({key: full.terms[key] - without.terms.get(key, 0.0) for key in keys}, full.spins, full.end)
            )
        return plain, random

    def use_formulas(self) -> None:
        for match in re.finditer(_LINE, self.text):
            told = _SENTENCE_END.split(match[0])[0]
            self.account.use(match.start(), match.start() + len(told))
            self.account.use_symbols(self.sets, match[0])
        timed = " ".join(one.name for one in self.sets if re.match(r"(?:tau|T|t)_?\{?\d", one.name))
        self.account.use_symbols(self.sets, f"{timed} W")
        for one in self.sets:  # "Omega_x tau1 is about pi" says nothing new
            if one.key in {"tau1", "tau2"}:
                self.use(one)

    def segment(self, one: _Segment) -> DrivenSegment:
        terms = []
        for rows, drawn in ((one.plain, False), (one.random, True)):
            for key in dict.fromkeys(key for row in rows for key in row.terms):
                weights = [row.terms.get(key, 0.0) for row in rows]
                if any(abs(value) > 1e-14 for value in weights):
                    terms.append(DrivenTerm(letters=key[0], weights=weights, disorder=drawn))
        return DrivenSegment(duration=one.duration, terms=terms)

    def angle(self, one: _Segment) -> float:
        """By which a free spin turns in the segment: twice the field in Pauli units times the duration."""
        field = [value for key, value in one.plain[0].terms.items() if len(key[0]) == 1]
        return 2 * math.sqrt(sum(value**2 for value in field)) * one.duration

    def told(self) -> str:
        found = [" ".join(_SENTENCE_END.split(match[0])[0].split()) for match in re.finditer(_LINE, self.text)]
        return "; ".join(found)

    # start and observables

    def start(self) -> tuple[list[float], bool, Axis] | Question:
        asked = next((one.value for one in label_values(wanted(self.body.wanted, "magnetisation"), "axis")), "")
        axis = _axis(asked)
        along = self.account.find(r"(?:polari[sz]ed|aligned|pointing|along)[^.;\n]{0,20}?([+-]?)\s*([xyz])\b")
        neel = self.account.find(r"N[eé]el|antiferromagnetic (?:product )?state")
        up = self.account.find(r"all spins? up|fully polari[sz]ed|all up")
        begins = re.split(r"[.;]\s|\n", self.text[: along.start()])[-1] if along else ""
        if along and not (neel and not re.search(r"N[eé]el|start|initial|begin|prepar", begins, re.I)):
            sign = -1.0 if along[1] == "-" else 1.0
            vector = [sign * one for one in _AXES[along[2]]]
            return vector, False, axis or _axis(along[2]) or "z"
        if neel or up:
            return _AXES["z"], bool(neel), axis or "z"
        return Question(text="In which product state does the chain begin?")


def _axis(letter: str) -> Axis | None:
    for one in get_args(Axis):
        if one == letter:
            return cast(Axis, one)
    return None
