"""The goal of a control task, the time grid of its pulses, and what they should avoid."""

from __future__ import annotations

import math
import re
from typing import Literal

import numpy as np

from labwright.agents.call import Question
from labwright.agents.tool_forging.readers.base import Unread
from labwright.agents.tool_forging.readers.control.gates import GATES, Array
from labwright.agents.tool_forging.readers.control.told import ToldWords
from labwright.agents.tool_forging.readers.language.matrices import matrices
from labwright.agents.tool_forging.readers.language.operators import UnknownSymbol, expression_at
from labwright.agents.tool_forging.readers.language.units import converted
from labwright.tools.forge.families.control.spec import Penalty

Goal = Literal["state", "gate"]

_MEANT = re.compile(
    (
        r"\bGRAPE\b|gradient[- ]ascent pulse|optimal control|pulse optimi[sz]ation|optimi[sz]e (?:the )?(?:control "
        r")?pulses?"
    ),
    re.I,
)
_OTHER = re.compile(
    r"\b(?:CRAB|GOAT|Krotov|open[- ]system|collapse operators?|Lindblad|decoherence|T1|T2|robust\w*|ensemble|"
    r"noise|chirp\w*"
    r"|bandwidth|filter\w*|time[- ]optimal|minimum time|quantum speed limit|rotating[- ]wave)\b",
    re.I,
)
_NAME = r"[A-Za-z]\w*(?:_\{[^{}]*\})?"
# amplitudes whose time average is of this size make the pulse area pi/2 a few times over
_AREA = 2.0 * math.pi
_PENALTY = 1.0


class GoalWords(ToldWords):
    """Reads target, duration and penalties."""

    def goal(self) -> tuple[Goal, list[list[float]], str, Array, str] | Question | Unread:
        gates = self.gate()
        if isinstance(gates, Question):
            return gates
        if gates is not None:
            name, matrix = gates
            start = [[1.0, 0.0]] + [[0.0, 0.0]] * (len(self.levels) - 1)
            return "gate", start, f"|{self.levels[0]}>", matrix, name
        return self.transfer()

    def gate(self) -> tuple[str, Array] | Question | None:
        if not re.search(r"\bgates?\b|\bunitary\b|\bCNOT\b|\biSWAP\b|\bHadamard\b|\bCZ\b", self.text):
            return None
        for one in matrices(self.body.plain):
            matrix = np.array(one.rows)
            if (
                re.match(r"U|G|V", one.name)
                and matrix.shape == (len(self.levels),) * 2
                and np.allclose(matrix @ matrix.conj().T, np.eye(len(matrix)), atol=1e-3)
            ):
                left, _, right = np.linalg.svd(matrix)
                self.account.use(one.start, one.end)
                return one.name, left @ right
        rotation = self.rotation()
        if rotation is not None:
            return rotation
        found: dict[str, tuple[Array, int]] = {}
        rest = self.text
        for name, words, matrix in GATES:
            match = re.search(words, rest)
            if match:
                found[name] = (matrix, match.start())
                for other in re.finditer(words, self.text):
                    self.account.use(*other.span())
                rest = re.sub(words, lambda m: " " * len(m[0]), rest)
        fitting = {name: matrix for name, (matrix, _) in found.items() if len(matrix) == len(self.levels)}
        if len(fitting) > 1:
            return Question(text="Several gates are named. Which one is the target?", options=list(fitting))
        if fitting:
            return next(iter(fitting.items()))
        if found:
            return Question(
                text=(
                    f"The gate {next(iter(found))} does not fit {len(self.levels)} levels. On which levels does it act?"
                )
            )
        return (
            Question(text="Which gate is the target?")
            if re.search(r"\btarget gate|gate synthesis|implement a gate", self.text)
            else None
        )

    def rotation(self) -> tuple[str, Array] | None:
        """A gate that is written as an exponential, ``exp(-i pi X / 4)``."""
        for match in re.finditer(r"\bexp\(\s*-\s*i\s*|\be\^\{\s*-\s*i\s*", self.text):
            try:
                found = expression_at(self.text, match.end(), self.values)
            except UnknownSymbol:
                continue
            matrix = self.space.matrix(found) if found else None
            if found is not None and matrix is not None and len(matrix) == len(self.levels):
                self.account.use(match.start(), found.end + 1)
                values, vectors = np.linalg.eigh(matrix)
                return f"exp(-i {self.text[match.end() : found.end].strip()})", (
                    vectors * np.exp(-1j * values)
                ) @ vectors.conj().T
        return None

    def transfer(self) -> tuple[Goal, list[list[float]], str, Array, str] | Question | Unread:
        ket = (
            r"(?:\(?\s*[^.;,]{0,24}?)?(\|[^|<>]{1,6}>(?:\s*[+-]\s*i?\s*\|[^|<>]{1,6}>)?)"
            r"(?:\s*\)?\s*/\s*sqrt\(?\s*2\s*\)?)?"
        )
        told = self.told_transfer()
        if told is not None:
            return told
        both = re.search(
            rf"(?:from|transfers?|takes?|drives?|steers?|transform)\s+(?:the\s+(?:state\s+)?)?{ket}"
            rf"[^.;]{{0,40}}?\b(?:to|into|->)\s+{ket}",
            self.text,
        ) or re.search(rf"{ket}\s*->\s*{ket}", self.text)
        bell = re.search(r"Bell state", self.text)
        if both is None and not (bell and self.qubits == 2):
            return Question(text="From which state to which state, or which gate?")
        if both is None:
            start, end = f"|{'0' * self.qubits}>", "|00>+|11>"
            self.assumed.append("The Bell state is (|00> + |11>)/sqrt(2), reached from |00>.")
        else:
            start, end = both[1], both[2]
            self.account.use(*both.span())
        first, last = self.space.vector(start), self.space.vector(end)
        if first is None or last is None:
            return Unread(
                self.body.original(*(both.span() if both else (0, 20))),
                "States are kets of the system's levels or sums of two.",
            )
        pairs = [[float(one.real), float(one.imag)] for one in first]
        return "state", pairs, start, last.reshape(-1, 1), end

    def told_transfer(self) -> tuple[Goal, list[list[float]], str, Array, str] | None:
        """Two states with a word of change between them: ``|0> to |1>``, ``|00> shall become |11>``."""
        ket = (
            r"(?:\(\s*)?[+-]?\s*\|[^|<>]{1,6}>(?!\s*<)(?:\s*[+-]\s*i?\s*\|[^|<>]{1,6}>)*"
            r"(?:\s*\)\s*/\s*sqrt\(?\s*\d\s*\)?)?"
        )
        change = (
            r"(?:\s+(?:is|be|shall|should|must|can|has|to))*\s*(?:to|into|->|becomes?|(?:is |be )?(?:turned|"
            r"brought|transferred|"
            r"transformed|moved|driven|steered|taken) (?:in)?to|onto|reach\w*|ends? (?:up "
            r")?in)\s+(?:the\s+)?(?:\w+\s+){0,3}?"
        )
        found = re.search(rf"(?P<a>{ket}){change}(?P<b>{ket})", self.text)
        if found is None:
            return None
        first, last = self.space.vector(found["a"]), self.space.vector(found["b"])
        if first is None or last is None:
            return None
        self.account.use(*found.span())
        pairs = [[float(one.real), float(one.imag)] for one in first]
        return "state", pairs, found["a"].strip(), last.reshape(-1, 1), found["b"].strip()

    def grid(self) -> tuple[float, str, int] | Question:
        """Duration, its unit, number of slices."""
        spans = {
            (value, one.numbers.unit)
            for one in self.filled.of("duration")
            for value in [item.value_or_none(self.values) for item in one.numbers.items]
            if value is not None and value > 0
        }
        if not spans:
            return Question(text="How long are the pulses (the duration T)?")
        if len(spans) > 1:
            return Question(text="The task gives several durations. How long are the pulses?")
        duration, unit = spans.pop()
        slices, length = self.number("slices", 2, 1e5), self.number("length", 0)
        if length:
            own = next(one.numbers.unit for one in self.filled.of("length"))
            length = converted(length, own, unit) if own and unit else length
            if slices is not None and not math.isclose(slices * length, duration, rel_tol=0.01):
                return Question(
                    text=f"{slices:g} slices of {length:g} last {slices * length:g}, not {duration:g}. Which of the "
                    "duration, the number of slices and their length holds?"
                )
            slices = duration / length if slices is None else slices
        part = self.account.find(
            r"\bevery\s+(?:an?\s+)?(half|quarter|fifth|tenth|"
            r"hundredth)\s+(?:of\s+)?(?:an?\s+)?(?:time )?(?:unit|ns|us)\b"
        )
        if slices is None and part:
            slices = duration * {"half": 2, "quarter": 4, "fifth": 5, "tenth": 10, "hundredth": 100}[part[1].lower()]
        if slices is None:
            slices = 100
            self.assumed.append("No number of time slots is given; 100 are used.")
        short = unit
        for long, letter in (
            ("second", "s"),
            ("nano", "n"),
            ("micro", "u"),
            ("pico", "p"),
            ("femto", "f"),
            ("milli", "m"),
        ):
            short = short.replace(long, letter)
        return duration, short, round(slices)

    def penalties(self) -> list[Penalty]:
        """Levels that the text wants kept empty."""
        words = (
            r"(?:minimi[sz]|kept? (?:\w+ )?(?:small|low|empty)|penal|suppress|avoid|as little as possible|reduc|"
            r"unpopulated|keep|empty|dark|untouched)"
        )
        found = []
        for sentence in self.body.sentences:
            if not re.search(words, sentence.text, re.I) or not re.search(
                r"occup|popul|leak|level|state|empty|\|", sentence.text, re.I
            ):
                continue
            if re.search(r"\b(?:without|no) (?:a )?penalt", sentence.text):
                continue
            for match in re.finditer(
                (
                    r"(?:occup\w*|popul\w*|leak\w*)[^.;]{0,40}?\|([^|<>]{1,6})>|(?:intermediate|middle|leakage|"
                    r"upper|excited)[^.;]{0,20}?(?:state|level)s?\s*\|([^|<>]{1,6})>|\|([^|"
                    r"<>]{1,6})>\s*(?:stays?|remains?|is (?:to be )?kept|kept|should stay|as)?\s*(?:as\s+)?(?:empty|"
                    r"unpopulated|unoccupied)"
                ),
                sentence.text,
            ):
                name = next(one for one in match.groups() if one)
                if name in self.levels and self.levels.index(name) not in found:
                    found.append(self.levels.index(name))
        weight = self.value(r"penalty (?:weight|factor|strength)|weight", ("w", "alpha", "mu"))
        size = weight.values()[0] if weight and weight.kind == "single" else _PENALTY
        return [Penalty(level=one, weight=size) for one in found]
