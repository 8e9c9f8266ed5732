"""Reads tasks of optimal control: pulses by GRAPE for a state transfer or a gate of a closed few-level system."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from pydantic import ValidationError

from labwright.agents.call import Question
from labwright.agents.tool_forging.readers.base import Reading, TaskText, Unread
from labwright.agents.tool_forging.readers.control.gates import GATES, Array
from labwright.agents.tool_forging.readers.control.levels import Levels
from labwright.agents.tool_forging.readers.control.pulses import bounds, fidelity_goal, iterations, seed
from labwright.agents.tool_forging.readers.control.words import VOCABULARY
from labwright.agents.tool_forging.readers.language.accounting import Account
from labwright.agents.tool_forging.readers.language.assignments import assignments, count, phrase, resolved
from labwright.agents.tool_forging.readers.language.body import Body
from labwright.agents.tool_forging.readers.language.deliverables import label_values, wanted
from labwright.agents.tool_forging.readers.language.matrices import matrices
from labwright.agents.tool_forging.readers.language.numbers import Numbers, integer
from labwright.agents.tool_forging.readers.language.operators import UnknownSymbol, expression_at
from labwright.tools.forge.families.control.spec import Control, ControlSpec, Pairs, Penalty

Goal = Literal["state", "gate"]

_MEANT = re.compile(
    r"\bGRAPE\b|gradient[- ]ascent pulse|optimal control|pulse optimi[sz]ation|optimi[sz]e (?:the )?(?:control )?pulses?",
    re.I,
)
_OTHER = re.compile(
    r"\b(?:CRAB|GOAT|Krotov|open[- ]system|collapse operators?|Lindblad|decoherence|T1|T2|robust\w*|ensemble|noise|chirp\w*"
    r"|bandwidth|filter\w*|time[- ]optimal|minimum time|quantum speed limit|rotating[- ]wave)\b",
    re.I,
)
_NAME = r"[A-Za-z]\w*(?:_\{[^{}]*\})?"
# amplitudes whose time average is of this size make the pulse area pi/2 a few times over
_AREA = 2.0 * math.pi
_PENALTY = 1.0


@dataclass(frozen=True)
class _Operator:
    """A Hamiltonian of the text."""

    name: str
    matrix: Array
    note: str


class ControlReader:
    """See `labwright.agents.tool_forging.readers.base.Reader`."""

    family = "control"

    def read(self, task: TaskText) -> Reading | Question | Unread | None:
        """Read the task if pulses are to be optimised."""
        body = Body(task)
        if not _MEANT.search(body.text):
            return None
        other = _OTHER.search(body.text)
        if other:
            return Unread(
                body.original(*other.span()), "The book has GRAPE for closed systems with exact Hamiltonians."
            )
        return _Task(body).whole()


class _Task:
    """One task on the way to its specification."""

    def __init__(self, body: Body) -> None:
        self.body, self.text = body, body.text
        self.account = Account(body, VOCABULARY)
        self.assumed: list[str] = []
        self.sets = assignments(body.plain)
        self.values = {name: found[0] for name, found in resolved(self.sets).items() if len(found) == 1}
        self.qubits = 0
        self.levels: list[str] = []
        self.space = Levels([], 0)

    def whole(self) -> Reading | Question | Unread:
        problem = self.system()
        if problem is not None:
            return problem
        self.space = Levels(self.levels, self.qubits)
        operators = self.operators()
        if isinstance(operators, Question | Unread):
            return operators
        drift, controls = operators
        goal = self.goal()
        if isinstance(goal, Question | Unread):
            return goal
        kind, initial, initial_name, target, target_name = goal
        grid = self.grid()
        if isinstance(grid, Question):
            return grid
        duration, unit, slots = grid
        lower, upper = bounds(self.account)
        shaped = len(controls) == 2 and bool(self.account.find(
            r"counter-?intuitive|STIRAP(?:[- ](?:like|type))?[- ](?:guess|start|pulses|initial)|start(?:ing)? from (?:a )?STIRAP"))  # fmt: skip
        penalties = self.penalties()
        strength = min(max(float(np.linalg.norm(one.matrix, 2)), 1e-9) for one in controls)
        scale = _AREA / duration / strength
        if upper is not None:
            scale = min(scale, abs(upper) / 2)
        self.account.every(
            r"\b(?:\d+|two|three|four|five|single|one)[- ](?:level|qubit|control|state)s?\b|\|[^|<>]{1,12}>(?:\s*<[^|<>]{1,12}\|)?"
        )
        try:
            spec = ControlSpec(
                title=self.body.title, levels=self.levels, goal=kind, drift=_pairs(drift), initial=initial,
                controls=[Control(label=name, matrix=_pairs(one.matrix)) for name, one in zip(self.labels(controls), controls, strict=True)],
                initial_name=initial_name, target=_pairs(target), target_name=target_name, duration=duration,
                time_unit=unit, slots=slots, lower=lower, upper=upper,
                start="counter_intuitive" if shaped else "random", start_scale=scale, seed=seed(self.account),
                penalties=penalties, fidelity_goal=fidelity_goal(self.account), iterations=iterations(self.account, bool(penalties)),
                infidelity_target=1e-6, wants_average=bool(re.search(r"average gate fidelity", self.body.task.text, re.I)),
            )  # fmt: skip
        except ValidationError as wrong:
            return Unread(self.body.title, str(wrong.errors()[0]["msg"]))
        self.settled(spec)
        self.account.held = {
            abs(float(v)) for one in (drift, *(c.matrix for c in controls)) for v in np.asarray(one).real.ravel() if v
        }
        self.account.every(
            r"\b\d\s*-\s*\d\s+(?:transition|coupling|resonance)|\b(?:levels?|states?)\s+(?:\d(?:\s*,\s*|\s+and\s+)?)+"
        )
        doubt = self.account.doubt()
        if doubt:
            return Unread(doubt[0], f"{doubt[1]!r} in it is nothing that the reader of control tasks knows.")
        return Reading("control", spec, self.account.covered(), self.assumed)

    def settled(self, spec: ControlSpec) -> None:
        if spec.lower is None and spec.upper is None:
            self.assumed.append("No bounds of the amplitudes are given; none are set.")
        if spec.start == "random":
            self.assumed.append(
                f"GRAPE starts from smooth random pulses (seed {spec.seed}); other starts end in other pulses."
            )
        for one in spec.penalties:
            self.assumed.append(
                f"Level {spec.levels[one.level]} is kept empty by adding its mean occupation, weight {one.weight:g}, to the"
                " infidelity; the same without it is reported beside. A larger weight empties it further."
            )

    # the system

    def system(self) -> Question | Unread | None:
        """Levels and their labels, from kets or counts."""
        kets = [match.strip() for match in re.findall(r"\|([^|<>\s]{1,6})>", self.text)]
        bits = [one for one in kets if re.fullmatch(r"[01]{2,}", one)]
        spoken = count(self.body.plain, r"qubits?") or count(self.body.plain, r"spins?")
        levels = count(self.body.plain, r"levels?")
        if re.search(r"\bqutrit\b", self.text) and levels is None:
            levels = (3, 0, 0)
        if (
            bits
            or (spoken and spoken[0] > 1)
            or any(re.search(words, self.text) for name, words, gate in GATES if len(gate) == 4)
        ):
            self.qubits = len(bits[0]) if bits else (spoken[0] if spoken else 2)
        elif levels is None and (spoken or re.search(r"\b(?:a|single|one) (?:qubit|spin)\b|\bqubit\b", self.text)):
            self.qubits = 1
        if self.qubits:
            if self.qubits > 4:
                return Unread(f"{self.qubits} qubits", "GRAPE by full propagators is done for four qubits at the most.")
            self.levels = [format(k, f"0{self.qubits}b") for k in range(2**self.qubits)]
            return None
        names = list(dict.fromkeys(one for one in kets if re.fullmatch(r"\d|[a-z]|[A-Z]", one) and one not in {"psi"}))
        if names and all(one.isdigit() for one in names):
            low, high = min(map(int, names)), max(map(int, names))
            size = levels[0] if levels else high - low + 1
            self.levels = [
                str(min(low, 1) + k if low <= 1 else low + k) for k in range(max(size, high - min(low, 1) + 1))
            ]
        elif names:
            self.levels = names
        elif levels:
            self.levels = [str(k) for k in range(levels[0])]
            self.assumed.append("Levels are counted from 0.")
        else:
            found = [one for one in matrices(self.body.plain) if len(one.rows) == len(one.rows[0])]
            if not found:
                return Question(text="Which levels or qubits does the system have?")
            self.levels = [str(k) for k in range(len(found[0].rows))]
        if levels and len(self.levels) != levels[0]:
            return Question(
                text=f"The task speaks of {levels[0]} levels, but names {len(self.levels)}: {', '.join(self.levels)}. Which are there?"
            )
        return None

    def operators(self) -> tuple[Array, list[_Operator]] | Question | Unread:
        """Drift and control Hamiltonians, from expressions and matrices with a name in front."""
        drift = np.zeros((len(self.levels),) * 2, dtype=complex)
        controls: list[_Operator] = []
        found = self.written()
        if isinstance(found, Unread):
            return found
        last, drifting = 0, False
        for name, matrix, start, end in found:
            if matrix.shape != drift.shape:
                continue
            line = self.text[max(last, self.text.rfind("\n\n", 0, start) + 1) : start]
            last = end
            following = self.text[end : (self.text.find("\n", end) if "\n" in self.text[end:] else len(self.text))][:60]
            if not np.allclose(matrix, matrix.conj().T):
                if name.lower().startswith("h"):
                    return Question(text=f"The Hamiltonian {name} is not Hermitian. What is it?")
                continue
            self.account.use(start, end)
            drifting = self.is_drift(name, line, drifting)
            if drifting:
                drift = drift + matrix
            else:
                controls.append(_Operator(name, matrix, following))
        if not controls:
            bare = self.listed()
            if isinstance(bare, Unread):
                return bare
            controls = bare
        if not controls:
            return Question(text="What are the control Hamiltonians?")
        if not np.abs(drift).any() and not re.search(r"\bno drift\b|without (?:a )?drift|resonan", self.text, re.I):
            self.assumed.append("No drift Hamiltonian is given; it is zero (rotating frame on resonance).")
        self.account.find(r"\bno drift\b|without (?:a )?drift")
        return drift, controls

    def is_drift(self, name: str, line: str, before: bool) -> bool:
        """By its name, by the last word in front of it that says so, else as the one before it."""
        plain = re.sub(r"[_{}]", "", name).lower()
        if plain in {"h0", "hd", "hdrift", "hsys"}:
            return True
        if re.match(r"h(?:c|ctrl|p|s|x|y|\d)", plain) and not re.search(r"drift|free Hamiltonian|static", line, re.I):
            return False
        marks = list(
            re.finditer(
                r"(?P<drift>\bdrift|free Hamiltonian|static|internal|always on)|control|driv\w+|pump|stokes|pulse|knob|through",
                line,
                re.I,
            )
        )
        return bool(marks[-1]["drift"]) if marks else before

    def written(self) -> list[tuple[str, Array, int, int]] | Unread:
        """Everything that stands as ``name = operator``."""
        made: list[tuple[str, Array, int, int]] = []
        for one in matrices(self.body.plain):
            if len(one.rows) == len(one.rows[0]):
                made.append((one.name, np.array(one.rows), one.start, one.end))
        for match in re.finditer(rf"(?<![\w|<])({_NAME}(?:\s*\(t\))?)\s*(?:=|:)\s*", self.text):
            if any(start <= match.start() < end for _, _, start, end in made) or match[1][0] not in "HhCVKBUX":
                continue
            try:
                found = expression_at(self.text, match.end(), self.values, oscillator=self.qubits == 0)
            except UnknownSymbol as missing:
                if re.match(r"H_?\{?(?:c|ctrl|\d)", match[1]):
                    return Unread(
                        self.body.original(match.start(), match.end() + 30),
                        f"The symbol {missing.name!r} has no value.",
                    )
                continue
            matrix = self.space.matrix(found) if found else None
            if found and matrix is not None:
                made.append((match[1], matrix, match.start(), found.end))
        return sorted([*made, *self.unnamed(made)], key=lambda one: one[2])

    def unnamed(self, made: list[tuple[str, Array, int, int]]) -> list[tuple[str, Array, int, int]]:
        """Operators without a name: ``through (|0><1| + |1><0|)``, ``the drift is 0.3 |1><1|``."""
        found: list[tuple[str, Array, int, int]] = []
        kets = r"\b(?:is|through|by|via|with|drift|controls?|operators?|Hamiltonians?|and|of|:)\s+(?=[-+]?[\d.\s(]*\|[^|<>]{1,6}><)"
        paulis = (
            r"\b(?:drift(?: Hamiltonian| term)?(?: of| is| by)?|static(?: field| term)?(?: of)?|knob(?: on)?|multiplying|multiplies|drives?(?: along| on)?|controls?(?: along| of| is)?|couples? (?:to|via))\s+"
            r"(?:the\s+)?(?=[-+]?[\d.]*\s*\*?\s*(?:[XYZ]\b|sigma))"
        )
        places = [
            *re.finditer(kets, self.text),
            *(re.finditer(paulis, self.text) if self.qubits == 1 and len(made) < 2 else []),
        ]
        for match in places:
            if any(start <= match.end() < end for _, _, start, end in [*made, *found]):
                continue
            try:
                expression = expression_at(self.text, match.end(), self.values)
            except UnknownSymbol:
                continue
            matrix = self.space.matrix(expression) if expression else None
            if expression is None or matrix is None or not np.allclose(matrix, matrix.conj().T):
                continue
            levels = [self.levels[k] for k in np.flatnonzero(np.abs(matrix).sum(axis=0))]
            name = (
                "".join(levels)
                if match.re.pattern == kets
                else self.text[match.end() : expression.end].strip(" *0123456789.")
            )
            found.append((name, matrix, match.end(), expression.end))
        return found

    def listed(self) -> list[_Operator] | Unread:
        """Controls without names: ``controls X and Y on each qubit``, ``sigma_x on both qubits``."""
        match = self.account.find(
            r"controls?(?: Hamiltonians?| fields?| operators?)?[^.;\n]{0,30}?(?:are|:|is|=|along|of|by|with)\s*((?:(?:sigma_?\{?[xyz]\}?|[XYZ]|S_?[xyz])\s*(?:,\s*(?:and\s+)?|and\s+)?)+)(?P<where>[^.;\n]{0,40})"
        )  # fmt: skip
        if match is None or not self.qubits:
            return []
        letters = [one[-1].upper() for one in re.findall(r"sigma_?\{?[xyz]|[XYZ]|S_?[xyz]", match[1])]
        half = 0.5 if re.search(r"S_?[xyz]", match[1]) else 1.0
        if self.qubits > 1 and not re.search(r"each|every|both|all", match["where"]):
            return []
        return [
            _Operator(f"{letter}{site}", half * self.space.on(letter, site), "")
            for site in range(self.qubits)
            for letter in letters
        ]

    def labels(self, controls: Sequence[_Operator]) -> list[str]:
        """Names for results: those that the results section gives, words such as pump, or the Hamiltonians' own."""
        asked = [one.value for one in label_values(wanted(self.body.wanted, "pulse"), "control")]
        if len(asked) == len(controls):
            return asked
        own = []
        for one in controls:
            word = re.search(r"\b(pump|Stokes|probe|dump|signal)\b", one.note, re.I)
            own.append(word[1].lower() if word else one.name)
        return own if len(set(own)) == len(own) else [one.name for one in controls]

    # the goal

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
                text=f"The gate {next(iter(found))} does not fit {len(self.levels)} levels. On which levels does it act?"
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
        ket = r"(?:\(?\s*[^.;,]{0,24}?)?(\|[^|<>]{1,6}>(?:\s*[+-]\s*i?\s*\|[^|<>]{1,6}>)?)(?:\s*\)?\s*/\s*sqrt\(?\s*2\s*\)?)?"
        both = re.search(
            rf"(?:from|transfers?|takes?|drives?|steers?|transform)\s+(?:the\s+(?:state\s+)?)?{ket}[^.;]{{0,40}}?\b(?:to|into|->)\s+{ket}",
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

    # the pulses

    def grid(self) -> tuple[float, str, int] | Question:
        found = self.value(
            r"(?:total |pulse |gate )?(?:duration|evolution time|gate time|total time|pulse length|pulse time|transfer time)|(?:sequence|pulses?|transfer|gate)? ?(?:should |shall |must |may |to |can )?(?:last|take)s?(?: (?:at most|exactly))?|time|within",
            ("T", "ttotal", "tf", "tg", "Tgate"),
        )
        if found is None:
            return Question(text="How long are the pulses (the duration T)?")
        slots = None
        said = re.search(
            r"(\d[\d,]*|[a-z]+)\s+(?:equal\s+|piecewise[- ]constant\s+|time[- ]?\s*)*(?:time[- ]?)?(?:slots?|slices|segments|steps|intervals|bins|pieces|parts)\b",
            self.text,
            re.I,
        )
        if said and integer(said[1]):
            slots = integer(said[1])
            self.account.use(*said.span())
        else:
            named = self.value(
                r"(?:number of )?(?:time[- ]?)?(?:slots|slices|steps)", ("Nts", "Nslots", "N", "M", "nts")
            )
            slots = int(named.values()[0]) if named else None
        # "T = 20, 300 time slots" reads as two numbers; anything else is two durations
        if len(found.items) > 1 and [one.value(self.values) for one in found.items[1:]] != [slots]:
            return Question(text="The task gives several durations. How long are the pulses?")
        if slots is None:
            slots = 100
            self.assumed.append("No number of time slots is given; 100 are used.")
        unit = (
            found.unit.replace("second", "s")
            .replace("nano", "n")
            .replace("micro", "u")
            .replace("pico", "p")
            .replace("femto", "f")
        )
        return found.values(self.values)[0], unit, slots

    def value(self, words: str, names: Sequence[str]) -> Numbers | None:
        for one in self.sets:
            if one.key in names and all(name in self.values for item in one.numbers.items for name in item.names):
                self.account.use(one.start, one.end)
                return one.numbers
        spoken = phrase(self.body.plain, words)
        if spoken and all(name in self.values for item in spoken[0].items for name in item.names):
            self.account.use(spoken[1], spoken[0].end)
            return spoken[0]
        return None

    def penalties(self) -> list[Penalty]:
        """Levels that the text wants kept empty."""
        words = r"(?:minimi[sz]|kept? (?:\w+ )?(?:small|low|empty)|penal|suppress|avoid|as little as possible|reduc|unpopulated|keep)"
        found = []
        for sentence in self.body.sentences:
            if not re.search(words, sentence.text, re.I) or not re.search(
                r"occup|popul|leak|level|state", sentence.text, re.I
            ):
                continue
            if re.search(r"\b(?:without|no) (?:a )?penalt", sentence.text):
                continue
            for match in re.finditer(
                r"(?:occup\w*|popul\w*|leak\w*)[^.;]{0,40}?\|([^|<>]{1,6})>|(?:intermediate|middle|leakage|upper|excited)[^.;]{0,20}?(?:state|level)s?\s*\|([^|<>]{1,6})>|\|([^|<>]{1,6})>\s*(?:empty|unpopulated|unoccupied)",
                sentence.text,
            ):
                name = next(one for one in match.groups() if one)
                if name in self.levels and self.levels.index(name) not in found:
                    found.append(self.levels.index(name))
        weight = self.value(r"penalty (?:weight|factor|strength)|weight", ("w", "alpha", "mu"))
        size = weight.values()[0] if weight and weight.kind == "single" else _PENALTY
        return [Penalty(level=one, weight=size) for one in found]


def _pairs(matrix: Array) -> Pairs:
    return [[[float(v.real), float(v.imag)] for v in row] for row in matrix]
