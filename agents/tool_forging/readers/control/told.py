"""Drift and controls of a task by the words around each operator, and its numbers by slots."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cached_property

import numpy as np

from labwright.agents.call import Question
from labwright.agents.tool_forging.readers.base import Unread
from labwright.agents.tool_forging.readers.control.gates import Array
from labwright.agents.tool_forging.readers.control.groups import grouped
from labwright.agents.tool_forging.readers.control.measured import FORMULAS, RATES, MeasuredWords
from labwright.agents.tool_forging.readers.control.slots import SLOTS, THINGS
from labwright.agents.tool_forging.readers.control.spoken_operators import (
    Spoken,
    explicit,
    first_qubit,
    spoken_operators,
)
from labwright.agents.tool_forging.readers.control.words_of_task import Operator
from labwright.agents.tool_forging.readers.language.matrices import matrices
from labwright.agents.tool_forging.readers.language.numbers import numbers_at
from labwright.agents.tool_forging.readers.language.quantities import Filled, fill, quantities
from labwright.agents.tool_forging.readers.language.units import angular, kind

_DRIFT = (
    r"drift|always|permanently|constantly|all the time|(?:Ising|Heisenberg|exchange|dipolar|ZZ) (?:term|interaction)|"
    r"free(?:ly)?(?: Hamiltonian)?|static|internal|cannot (?:be )?switch\w*(?: off)?|interaction|"
    r"(?:Heisenberg |Ising |exchange )?coupling|H_?0|H_?d|bare|detuned|anharmonic\w*|precess\w*|uncontrolled|fixed|"
    r"interacts?|interacting|coupled (?:by|through|via)"
)
_CONTROL = (
    r"controls?|knobs?|driv(?:e|es|ing)|coils?|pump|Stokes|fields?|lasers?|pulses?|amplitudes?|local|microwaves?|H_?c|"
    r"H_?\d"
)
_TARGET = r"targets?|gates?|goal|implement|realise|realize|unitary|synthesi[sz]e"
_CUE = re.compile(rf"\b(?:(?P<drift>{_DRIFT})|(?P<control>{_CONTROL})|(?P<target>{_TARGET}))(?![A-Za-z])", re.I)
_METHOD = re.compile(r"\b(?:control )?pulse (?:optimi[sz]ation|shaping|design)|\b(?:optimal|quantum) control\b", re.I)
_STAYS = re.compile(
    r"\s*[,(]?\s*(?:that |which )?(?:(?:is|are)\s+)?(?:always\b|permanent\w*|there all the time)|"
    r"\s*,?\s*(?:that |which )?(?:is|are) (?:fixed|static)",
    re.I,
)
_COUPLES = re.compile(
    r"(?P<who>\w+)?(?:\s+(?:field|laser|beam|drive|pulse|light|control|tone))?\s+(?:couples?|connects?|drives?|"
    r"addresses|links|joins|"
    r"acts on|acts between|between|on)\s+(?:the\s+)?(?:(?:levels?|states?|"
    r"transition)\s+)?\|?(?P<a>\w)>?\s*(?:and|with|to|-|<->|,)\s*\|?"
    r"(?P<b>\w)>?(?!\w)"
)
_LEVEL_AT = re.compile(
    r"\b[Ll]evel\s+\|?(?P<name>\w)>?\s+(?:(?:lies|is|sits|stands)\s+)?(?:at|has the energy|has an energy of)\s+"
    r"(?=[-+]?\s*[\d.])"
)
_MANY_LEVELS = 2


class Unclear(Question):
    """A question that no other way of reading the operators answers."""


class ToldWords(MeasuredWords):
    """Reads operators by the words around them, and the numbers that belong to no operator."""

    @cached_property
    def spoken(self) -> list[Spoken]:
        self.values = self.with_units()
        found = spoken_operators(self.text, self.values, self.qubits, self.formulas, self.unit_of_time)
        plain, aside = explicit(found, self.text)
        made, read = grouped(plain, self.text, self.qubits, first_qubit(found, self.text))
        for span in (*read, *aside):
            self.account.use(*span)
        return made

    @cached_property
    def filled(self) -> Filled:
        """Numbers by slot, those of operators and matrices left out."""
        taken = [*self.formulas, *((one.start, one.end) for one in self.spoken)]
        taken += [(one.start, one.end) for one in matrices(self.body.plain)]
        told = quantities(self.body, taken, self.values, THINGS)
        made = fill([replace(one, before=FORMULAS.sub(_merit, one.before)) for one in told], SLOTS)
        for one in list(made.of("duration")):  # several numbers are no duration
            if len(one.numbers.items) > 1:
                made.slots["duration"].remove(one)
                made.rest.append(one)
        for one in list(made.rest):  # "within -1 and 1", "from -1 to 1"
            ends = [item.value_or_none(self.values) for item in one.numbers.items]
            if len(ends) == _MANY_LEVELS and ends[0] is not None and ends[1] is not None and ends[0] < 0 < ends[1]:
                made.rest.remove(one)
                made.slots.setdefault("bound", []).append(one)
        return made

    def level_energies(self) -> Array:
        """A drift told by where levels lie: ``level 2 lies at -0.3 rad/ns``."""
        drift = np.zeros((len(self.levels),) * 2, dtype=complex)
        for match in _LEVEL_AT.finditer(self.text) if not self.qubits else ():
            numbers = numbers_at(self.text, match.end())
            if numbers is None or match["name"] not in self.levels or len(numbers.items) != 1:
                continue
            value = numbers.items[0].value_or_none(self.values)
            if value is None or kind(numbers.unit) not in {"", *RATES}:
                continue
            unit = numbers.unit
            made = value if unit == f"radian/{self.unit_of_time}" else angular(value, unit, self.unit_of_time)
            place = self.levels.index(match["name"])
            drift[place, place] = made
            self.account.use(match.start(), numbers.end)
        return drift

    def told_operators(self) -> tuple[Array, list[Operator], list[tuple[int, int]]] | Question | Unread:
        """Drift, controls, and where they stand."""
        drift = np.zeros((len(self.levels),) * 2, dtype=complex)
        controls: list[Operator] = []
        spans: list[tuple[int, int]] = []
        role = ""
        for one in self.spoken:
            role = self.role(one, role)
            if role == "target":
                continue
            if role == "unclear":
                what = self.text[one.start : one.end].strip()
                return Unclear(
                    text=f"Is {what} always there (drift), or is it a control?", options=["drift", "control"]
                )
            made = self.matrices_of(one)
            if isinstance(made, Question):
                return made
            for name, matrix in made:
                if not np.allclose(matrix, matrix.conj().T):
                    if one.name in {"a", "b"} and not self.is_ladder(matrix):
                        return Unclear(text=f"The operator {one.name} is not the usual ladder operator. What is it?")
                    if one.name in {"a", "b"}:
                        self.account.use(one.start, one.end)
                    continue
                spans.append((one.start, one.end))
                self.account.use_symbols(self.sets, self.text[one.start : one.end])
                if role == "drift":
                    drift = drift + matrix
                else:
                    controls.append(Operator(name, matrix, one.note))
        if not np.abs(drift).any():
            drift = self.level_energies()
        if not controls:
            controls = self.coupled_levels(spans)
        return drift, controls, spans

    def is_ladder(self, matrix: Array) -> bool:
        """Whether an operator lowers the levels as an oscillator's does; products of coordinates may be rounded."""
        return np.allclose(matrix, np.diag(np.sqrt(np.arange(1, len(self.levels))), 1), atol=1e-3)

    def role(self, one: Spoken, before: str) -> str:
        """What an operator is: by its name, the words behind it, the last word in front of it, else as the one "
        "before."""
        plain = re.sub(r"[_{}]", "", one.symbol or one.name).lower()
        if plain in {"h0", "hd", "hdrift", "hsys"} or _STAYS.match(one.note):
            return "drift"
        if re.fullmatch(r"h(?:c|ctrl|p|s|x|y|\d)\w*", plain):
            return "control"
        cues = list(_CUE.finditer(f"{_METHOD.sub(' ', one.before)} {one.name} "))
        if cues:
            last = next((cue for cue in reversed(cues) if not cue["target"]), cues[-1])
            return str(last.lastgroup)
        return before or "unclear"

    def matrices_of(self, one: Spoken) -> list[tuple[str, Array]] | Question:
        """An operator as matrices with names; a bare one stands once for each of its qubits."""
        label = re.sub(r"\s+", "", self.text[one.start : one.end]).lstrip("-+0123456789.*/()")
        label = re.sub(r"\)?/\d+\)?$", "", label) or "control"
        if one.bare and self.qubits > 1:
            if len(one.expression.terms) == 1 and one.expression.terms[0].width == self.qubits:
                matrix = self.space.matrix(one.expression)
                return [] if matrix is None else [(one.name or label, matrix)]
            spread = one.spread(self.qubits)
            if spread is not None:
                matrix = self.space.matrix(spread)
                return [] if matrix is None else [(one.name or label, matrix)]
            if not one.where:
                return Question(text=f"On which qubit does {label} act?")
            if one.name and len(one.where) == 1:
                matrix = self.space.matrix(one.on(one.where[0], self.qubits))
                return [] if matrix is None else [(one.name, matrix)]
            made = [
                (f"{label}{site + first_qubit(self.spoken, self.text)}", self.space.matrix(one.on(site, self.qubits)))
                for site in one.where
            ]
            return [(name, matrix) for name, matrix in made if matrix is not None]
        matrix = self.space.matrix(one.expression)
        return [] if matrix is None else [(one.name or _short(label), matrix)]

    def coupled_levels(self, spans: list[tuple[int, int]]) -> list[Operator]:
        """Controls told by the levels that they couple: ``the pump couples g and e``."""
        made: list[Operator] = []
        if self.qubits or len(self.levels) <= _MANY_LEVELS:
            return made
        for match in _COUPLES.finditer(self.text):
            a, b = match["a"], match["b"]
            if a in self.levels and b in self.levels and a != b:
                matrix = np.zeros((len(self.levels),) * 2, dtype=complex)
                i, j = self.levels.index(a), self.levels.index(b)
                matrix[i, j] = matrix[j, i] = 1
                made.append(Operator(f"{a}{b}", matrix, match["who"] or ""))
                spans.append(match.span())
                made += self.further_pairs(match.end(), spans)
        return made

    def further_pairs(self, end: int, spans: list[tuple[int, int]]) -> list[Operator]:
        """Pairs that are listed behind one: ``couple m-z and z-p``."""
        made: list[Operator] = []
        more = re.compile(r"\s*(?:,|and|,\s*and)\s*\|?(?P<a>\w)>?\s*-\s*\|?(?P<b>\w)>?(?!\w)")
        while (match := more.match(self.text, end)) and {match["a"], match["b"]} <= set(self.levels):
            matrix = np.zeros((len(self.levels),) * 2, dtype=complex)
            i, j = self.levels.index(match["a"]), self.levels.index(match["b"])
            matrix[i, j] = matrix[j, i] = 1
            made.append(Operator(f"{match['a']}{match['b']}", matrix, ""))
            spans.append(match.span())
            end = match.end()
        return made

    def number(self, slot: str, low: float = -np.inf, high: float = np.inf) -> float | None:
        """The last number of a slot within limits; what a slot is called counts as understood."""
        found = None
        for one in self.filled.of(slot):
            values = [item.value_or_none(self.values) for item in one.numbers.items]
            if len(values) == 1 and values[0] is not None and low <= values[0] <= high:
                found = round(values[0] / (100 if one.kind == "fraction" else 1), 12)
        return found


def _merit(match: re.Match[str]) -> str:
    """A figure of merit that is written out is a fidelity."""
    return " fidelity " if "Tr" in match[0] or "<" in match[0] else " "


def _short(label: str) -> str:
    """A name for a control of kets and bras: its levels."""
    kets = re.findall(r"\|(\w+)>", label)
    return "".join(dict.fromkeys(kets)) if kets else label
