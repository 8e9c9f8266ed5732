"""Reads tasks about periodically driven spin-1/2 chains, with or without disorder, by TEBD or TD-DMRG."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping

from pydantic import ValidationError

from labwright.agents.call import Question
from labwright.agents.tool_forging.readers.base import Reading, Unread
from labwright.agents.tool_forging.readers.framed import Framed, WordReader
from labwright.agents.tool_forging.readers.language.assignments import count, resolved
from labwright.agents.tool_forging.readers.language.body import Body
from labwright.agents.tool_forging.readers.language.deliverables import wanted
from labwright.agents.tool_forging.readers.language.orders import orders
from labwright.agents.tool_forging.readers.tensor_network.drive_segments import LINE, SENTENCE_END, Drive, Segment
from labwright.agents.tool_forging.readers.tensor_network.drive_start import measured_axis, start
from labwright.agents.tool_forging.readers.tensor_network.words import VOCABULARY, bond_dimension, sizes, spin_half
from labwright.tools.forge.families.tensor_network.driven_spec import DrivenSpec

_MEANT = re.compile(
    r"\bFloquet\b|periodic(?:ally)?[- ](?:driven|kicked|driv|drive)|\bkicked\b|\btime[- ]crystals?\b|"
    r"period[- ]doubling|\bkicks\b|\b(?:each|every|one|per|a|the) (?:drive |driving )?(?:period|cycle)\b|\bdriv(?:e|"
    r"ing) period|"
    r"\bperiods\b",
    re.I,
)
_TOOL = re.compile(
    r"\bTD-?DMRG\b|time-dependent (?:DMRG|density)|\bTEBD\b|\bTDVP\b|\bMPS\b|matrix[- ]product|\bTenPy\b|"
    r"tensor[- ]networks?|"
    r"bond[- ]dimension",
    re.I,
)
_OTHER = re.compile(
    r"\b(?:periodic boundar\w+|\bPBC\b|ring|spin-1(?!/)|long[- ]range|two-dimensional|2D|open system|dissipat\w+|"
    r"random initial|Haar|correlators?|correlation functions?|central charge|string order|"
    r"energ(?:y|ies) (?:absor\w+|per site|density|after|of the chain)|absorbed energ\w+|next[- ]nearest)\b|"
    r"\bexp\s*[\[({]+\s*-?\s*i\b|\be\^\{?\s*-\s*i\b",
    re.I,
)
_WORDS = VOCABULARY | frozenset(
    """
    alternates kicked kick kicks alternating average averaged bulk conjugate continuous crystal decay decays
    decaying density-matrix discrete disorder disordered distribution doubling drawn drive driven drives driving
    dtc ergodic evolve field fields flip flips floquet global heat heating imperfect imperfection independent
    initialise initialize interaction interactions localisation localised localization long-lived magnetisation
    magnetization many-body maximum oscillate oscillation oscillations period period-doubling periods polarisation
    polarised polarized polarization product product-state pulse pulses random realisation realisations
    realization realizations reachable regime regimes renormalisation rotation segment segments several
    stroboscopic stroboscopically strong subharmonic switch switched td-dmrg tdvp tebd thermalisation thermalise
    thermalization time-dependent truncation uniform uniformly rapid lived seed up down neel néel staggered
    time-step trotter deep delta epsilon dt suzuki order stroke strokes two-stroke periodic protocol duration cycle
    cycles
    """.split()
)
_RESERVED = {"N", "L", "n", "chi", "chimax", "D", "dt", "i", "j", "t", "T", "m", "seed"}


def _is_meant(text: str) -> bool:
    return _MEANT.search(text) is not None and _TOOL.search(text) is not None


class _Task(Framed):
    """One task on the way to its specification."""

    def whole(self) -> Reading | Question | Unread:
        values = resolved(self.sets)
        self.disorder = self.random_symbol()
        self.parameter, self.sweep = self.swept()
        self.known = {name: found[0] for name, found in values.items() if name != self.parameter and found}
        found = [one for one in sizes(self.account, self.sets, ("L", "N")) if one > 1]
        if len(set(found)) != 1:
            return Question(text="How many spins does the chain have?")
        rows: list[Mapping[str, float]] = [
            self.known | ({self.parameter: value} if self.parameter else {}) for value in self.sweep
        ]
        segments = Drive(self, rows, self.disorder).segments()
        if isinstance(segments, Question | Unread):
            return segments
        if len(segments) == 1 and re.search(r"\bkick|\bsegments\b|\bsecond (?:part|half|step)\b", self.text, re.I):
            return Question(text="What are the Hamiltonians of the segments of a period, and how long is each?")
        made = self.specified(found[0], segments)
        if not isinstance(made, DrivenSpec):
            return made
        self.remarks(made)
        for one in self.body.sentences:  # the word alone is plain English
            if orders(one.text) and re.search(
                r"(?<!unit of )(?<!units of )\benerg(?:y|ies)\b(?! units?)", one.text, re.I
            ):
                return Unread(self.body.original(one.start, one.end), "Energies of driven chains are not recorded.")
        return self.answer("driven_chain", made, "driven chains")

    def specified(self, n: int, segments: list[Segment]) -> DrivenSpec | Question | Unread:
        periods = self.whole_number(("Nperiods", "nperiods", "M"), r"(?:Floquet |driving |drive )?(?:periods|cycles)")
        if periods is None:
            return Question(text="For how many periods is the chain driven?")
        begun = start(self)
        if isinstance(begun, Question):
            return begun
        axis = measured_axis(self, begun[2])
        if isinstance(axis, Unread):
            return axis
        width = self.width()
        if self.disorder and width is None:
            return Question(text=f"From which distribution are the {self.disorder} drawn?")
        chi, dt = self.precision()
        runs, seed = self.repeats()
        try:
            return DrivenSpec(
                title=self.body.title,
                n_sites=n,
                segments=[one.specified() for one in segments],
                parameter=self.label(),
                values=self.sweep,
                periods=periods,
                start=begun[0],
                neel=begun[1],
                disorder_width=width or 0.0,
                realisations=runs,
                seed=seed,
                dt=dt,
                order=4 if re.search(r"fourth[- ]order", self.text) else 2,
                chi_max=chi,
                axis=axis,
                spin_scale=0.5 if any(row.spins for one in segments for row in (*one.plain, *one.random)) else 1.0,
                bulk=self.bulk(n),
                formula=self.told() or "as told in the task",
                pulse_angles=self.angles(segments),
            )
        except ValidationError as wrong:
            return Unread(self.body.title, str(wrong.errors()[0]["msg"]))

    def remarks(self, spec: DrivenSpec) -> None:
        """What a text says besides and what follows from the specification is understood."""
        self.account.every(
            r"[{,]\s*(?:order|index|number|id|segment)\s*:\s*\d+\s*(?=,)|\b(?:one|two|three|1D)[- ]?dimension(?:s|"
            r"al)?\b|0\s*<\s*t\s*<\s*\w+|"
            r"\w+\s*<\s*t\s*<\s*T|\b2T\b|\(-\s*\w+\s*,\s*\w+\s*\)|\(\d values\)|about 0\.\d+|~\s*(?:0\.\d+|pi)|"
            r"\b(?:segment|part|step|stage|stroke|pulse|phase|half)s?\s+(?:no\.?\s*)?\d\b(?![.\d]*\d)|"
            r"\bhbar (?:equals|is) one\b"
        )
        spin_half(self.account)
        self.account.held = {float(one) for one in (spec.n_sites, spec.periods, *spec.values, spec.dt, spec.chi_max)}
        self.account.held |= {one.duration for one in spec.segments} | {sum(one.duration for one in spec.segments)}

    def angles(self, segments: list[Segment]) -> list[float]:
        """By which a free spin turns in each segment: twice the field in Pauli units times the duration."""
        found = []
        for one in segments:
            field = [value for key, value in one.plain[0].terms.items() if len(key[0]) == 1]
            found.append(2 * math.sqrt(sum(value**2 for value in field)) * one.duration)
        self.assumed.append(
            "The numbers are taken literally; free spins turn by "
            + ", ".join(f"{one / math.pi:.3g} pi" for one in found)
            + " in the segments."
        )
        return found

    def precision(self) -> tuple[int, float]:
        """Bond dimension and time step."""
        chi, dt = bond_dimension(self.account, self.sets), self.number(("dt", "deltat", "Deltat"))
        if chi is None:
            chi = 100
            self.assumed.append("No bond dimension is given; at most 100 is used.")
        said = self.account.find(
            r"\b(?:dt|(?:time[- ]?|Trotter |TEBD )?steps?(?: size| length)?)\s*(?:of|:|=|is)?\s*(\d*\.\d+)"
        )
        if dt is None and said:
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
        found = self.account.find(r"seed(?:\s*(?:=|:|of|is)?\s*)(\d+)")
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
            r"([A-Za-z]+)_\{?i\}?\s*(?:are |is |being )?(?:independent(?:ly)? |uniform(?:ly)? |randomly? "
            r")*(?:drawn|distributed|chosen|random|in\s*[\[(]|from)",
            self.text,
        )
        spoken = re.search(r"(?:drawn|random|disorder)[^.;\n]{0,30}?(?<![A-Za-z])([A-Za-z]+)_\{?i\}?", self.text)
        found = match or spoken
        return found[1] if found and re.search(r"disorder|random|drawn", self.text, re.I) else ""

    def swept(self) -> tuple[str, list[float]]:
        told = self.told()
        several = [
            one
            for one in self.sets
            if (re.search(rf"(?<![A-Za-z]){re.escape(one.name)}(?![A-Za-z])", told) or not told)
            and (told or one.key not in _RESERVED)
            and len(one.numbers.items) > 1
            and one.numbers.kind != "interval"
            and all(not item.names for item in one.numbers.items)
        ]
        if not several:
            return "", [0.0]
        for one in several:
            self.account.use(one.start, one.end)
        return several[0].key, [round(one, 12) for one in several[0].numbers.values()]

    def label(self) -> str:
        """The label of the swept parameter as the results section calls it."""
        names = {name for item in wanted(self.body.wanted, "magnetisation") for name in item.labels}
        if self.parameter in names or not self.parameter:
            return self.parameter
        return next((name for name in names if name.lower() == self.parameter.lower()), self.parameter)

    def number(self, names: tuple[str, ...]) -> float | None:
        for one in self.sets:
            if one.key in names:
                self.account.use(one.start, one.end)
        return next((self.known[name] for name in names if name in self.known), None)

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
                        self.account.use(one.start, one.end)
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

    def told(self) -> str:
        found = [" ".join(SENTENCE_END.split(match[0])[0].split()) for match in re.finditer(LINE, self.text)]
        return "; ".join(found)


def _whole(body: Body) -> Reading | Question | Unread:
    return _Task(body, _WORDS).whole()


READER = WordReader(
    "driven_chain",
    _is_meant,
    _OTHER,
    "The book has TEBD for open spin-1/2 chains with nearest neighbours.",
    _whole,
)
