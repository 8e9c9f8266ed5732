"""A task about few levels: what evolves, what damps it, from where, how long, and what is recorded."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from itertools import product
from typing import Any, Literal, get_args

from labwright.agents.call import Question
from labwright.agents.tool_forging.demands import demands
from labwright.agents.tool_forging.readers.base import Reading, TaskText, Unread
from labwright.agents.tool_forging.readers.language.body import Body
from labwright.agents.tool_forging.readers.language.clean import clean
from labwright.agents.tool_forging.readers.language.deliverables import label_values
from labwright.agents.tool_forging.readers.language.leftover import unknown_words
from labwright.agents.tool_forging.readers.language.operators import UnknownSymbol
from labwright.agents.tool_forging.readers.language.references import reference_elsewhere
from labwright.agents.tool_forging.readers.language.tally import Watched, holds, passed_over
from labwright.agents.tool_forging.readers.language.timegrid import time_grid
from labwright.agents.tool_forging.readers.open_system.body import OpenBody
from labwright.agents.tool_forging.readers.open_system.damping import Damping, damping
from labwright.agents.tool_forging.readers.open_system.generator import generator
from labwright.agents.tool_forging.readers.open_system.initial import initial_states
from labwright.agents.tool_forging.readers.open_system.ket_sums import ket_sums
from labwright.agents.tool_forging.readers.open_system.observed import Observed, observed
from labwright.agents.tool_forging.readers.open_system.operators import NoSuchOperator, System
from labwright.agents.tool_forging.readers.open_system.rates import (
    occupation_of,
    place_of_frequency,
    used_for_occupation,
)
from labwright.agents.tool_forging.readers.open_system.states import SpokenState
from labwright.agents.tool_forging.readers.open_system.subsystems import Generator
from labwright.agents.tool_forging.readers.open_system.symbols import Symbols, symbols
from labwright.agents.tool_forging.readers.open_system.times import Times, times
from labwright.agents.tool_forging.readers.open_system.unread_lists import unread_list
from labwright.agents.tool_forging.readers.open_system.words import VOCABULARY
from labwright.tools.forge.families.open_system.spec import Case, OpenSystemSpec, State, Want

_EVIDENCE = re.compile(
    r"\b(?:Lindblad|(?i:master equation|collapse operators?|spontaneous rate)|mesolve|"
    r"sesolve|T_?\{?[12]\w?\}?|Rabi|Ramsey|spin echo|"
    r"Jaynes|QuTiP|(?i:dissipat\w+|spontaneous emission|"
    r"relaxation|relaxes|damped|damping|decay\w*|dephas\w+|thermal bath|unitary evolution|two-level|"
    r"three-level|avoided crossing|precess\w+))\b"
)
_FURTHER = re.compile(
    r"\b(?:(?i:concurrence|coherences?(?! time))|emitters?|"
    r"four-level|five-level|jumps?|[Ii]ncoherent\w*|[Ss]teady[- ]state|Fock|photon number)\b"
)
_DYNAMICS = re.compile(
    (
        r"\b(?:evol\w+|dynamics|propagat\w+|times?|t\s*=\s*\d|\bt\b\s+from|until|up to|points?|start\w*|steady|"
        r"stationary|oscillat\w+|decay\w*|follow|"
        r"populations?|swap\w*)\b"
    ),
    re.I,
)
_FOREIGN = re.compile(
    r"\b(?:HEOM|hierarch\w+|GRAPE|CRAB|Krotov|optimal control|optimi[sz]e (?:the )?(?:pulse|control)s?|DMRG|"
    r"TEBD|TDVP|MPS|tensor network|TenPy|VQE|QAOA|variational|"
    r"shots|CUDA-?Q|Trotter\w*|product formula|Drude|spectral density|Redfield|stochastic|trajector(?:y|ies)|"
    r"(?<!no )(?<!without )(?:memory (?:times?|kernels?|effects?)|non-?Markov\w*)|"
    r"Monte Carlo|Floquet|kicked|Hubbard|fermion\w*|TD-?DFT|Tamm-?Dancoff|TDA)\b",
    re.I,
)
_QUICK = re.compile(r"\b(?:shots|CUDA-?Q|kicked|Trotter\w*|product formula)\b", re.I)


# symbols that are no part of the generator: times, sizes, seeds
_SETTINGS = frozenset(
    {
        "t",
        "T",
        "tmax",
        "tf",
        "tend",
        "N",
        "n",
        "dt",
        "seed",
        "nsteps",
        "npoints",
        "tau",
        "hbar",
        "level",
        "levels",
        "kB",
        "Ttotal",
        "M",
        "d",
    }
)
# numbers that are names: kets, levels, qubits; and those of conventions
_NAMES_ONLY = re.compile(
    r"\|[^|<>]{1,8}>|<[^|<>]{1,8}\||\b(?:levels?|states?|qubits?|atoms?|sites?|index|indices|spins?|"
    r"basis)\s+(?:\d(?:\s*,\s*|\s+and\s+|\s+or\s+)?)+|\b\d[- ](?:level|qubit|photon|dimensional)\w*|"
    r"eigenvalues?\s+[+-]?\d|(?<![\w.])\d\s*->\s*\d(?![\w.])"
    r"|\(\s*\d(?:\s*,\s*\d)+\s*\)|\b[XYZ]\s*=\s*[+-]?1\b|\bhbar\s*=\s*1|k_?B\s*=\s*1|exp\([^()]*\)|"
    r"sqrt\(?\d\)?|\d\s*/\s*\(?\d?\s*(?:T|gamma|kappa|Omega)"
)


class OpenSystemReader:
    """See `labwright.agents.tool_forging.readers.base.Reader`."""

    family = "open_system"

    def read(self, task: TaskText) -> Reading | Question | Unread | None:
        """Read the task if it is about the time evolution of few levels."""
        body = OpenBody(task)
        mine = _EVIDENCE.search(body.text) or _FURTHER.search(body.text)
        if not mine or not _DYNAMICS.search(body.text) or _QUICK.search(body.text):
            return None
        foreign = _FOREIGN.search(body.text)
        if foreign:
            named = re.search(r"\b(?:mesolve|Lindblad|master equation)\b", body.text)
            if foreign[0].lower().startswith(("stochastic", "trajector", "monte", "redfield", "floquet")) and named:
                return Unread(
                    foreign[0],
                    "There are recipes for unitary and Lindblad evolution only; this needs a tool of its own.",
                )
            return None
        pointer = reference_elsewhere(task.text)
        if pointer is not None:
            return pointer
        try:
            return _Reading(body).whole()
        except UnknownSymbol as unknown:
            return Question(text=f"What is the value of {unknown.name}?")
        except NoSuchOperator as wrong:
            return Question(text=f"An operator of the task does not fit its system: {wrong}. How is it meant?")


@dataclass(frozen=True, slots=True)
class _Point:
    """One combination of swept values with what it makes."""

    labels: dict[str, Any]
    generator: Generator
    damping: Damping


class _Reading:
    """One task on the way to its specification."""

    def __init__(self, body: Body) -> None:
        self.body, self.text = body, body.text
        self.names: Symbols = symbols(body)
        self.assumed: list[str] = []
        self.seen: set[str] = set()  # symbols that something was made with

    def whole(self) -> Reading | Question | Unread | None:
        strange = self.strange()
        if strange is not None:
            return strange
        swept = self.swept()
        if isinstance(swept, Question):
            return swept
        points = []
        for values in product(*(self.names.values[name] for name in swept)):
            chosen = dict(zip(swept, values, strict=True))
            names = Watched({**self.names.single(), **chosen})
            system = generator(self.body, names, self.names.time_unit)
            if not isinstance(system, Generator):
                return system
            loss = damping(self.body, names, system, self.names)
            if not isinstance(loss, Damping):
                return loss
            self.seen |= names.seen
            labels: dict[str, Any] = {self.label_of(name): value for name, value in chosen.items()}
            points.append(_Point(labels, system, loss))
        first = points[0]
        self.assumed += [said for point in points for said in (*point.generator.assumed, *point.damping.assumed)]
        timed = time_grid(self.text, bool(self.names.time_unit), self.names.constants, self.names.single()) is not None
        starts = initial_states(self.body, first.generator.system, self.names.single(), timed)
        if isinstance(starts, Question | Unread):
            return starts
        span = times(self.body, self.names, swept)
        if isinstance(span, Question):
            return span
        driven = any(point.generator.drives for point in points)
        seen = observed(self.body, first.generator.system, starts, bool(first.damping.operators))
        if not isinstance(seen, Observed):
            return seen
        if driven and "steady_state" in seen.wants:
            return Unread("steady state", "Under a periodic drive there is none; the recipes follow the state in time.")
        return self.specified(points, starts, span, seen, swept)

    def swept(self) -> list[str] | Question:
        """Names whose several values are cases; levels, times and labels are none."""
        many = [name for name in self.names.varied() if name not in {"t", "n_steps", "level", "levels"}]
        if len(many) > 2:
            return Question(
                text=f"Several quantities have several values: {', '.join(many)}. Which combinations are meant?"
            )
        if len(many) == 2 and not re.search(
            r"\b(?:each|every|all) (?:combination|pair|value)|\bfor (?:each|every|both)\b", self.text, re.I
        ):
            return Question(
                text=f"{many[0]} and {many[1]} have several values each. Is every combination meant?",
                options=["every combination", "first with first, second with second"],
            )
        return many

    def label_of(self, name: str) -> str:
        """How the results call a swept quantity: as the section of results does, else by its symbol."""
        wanted = [label for one in self.body.wanted for label in one.labels]
        known = {"observable", "initial", "evolution", "level", "state", "site", "qubit"}
        for label in dict.fromkeys(wanted):
            if label.replace("_", "").lower() == name.lower():
                return label
        free = [label for label in dict.fromkeys(wanted) if label not in known]
        return free[0] if len(free) == 1 and len(self.names.varied()) == 1 else name

    def methods(self, points: list[_Point]) -> list[Literal["unitary", "lindblad"]]:
        open_too = any(point.damping.operators for point in points)
        asked = re.search(
            (
                r"\bunitary\b|\bclosed\b|\bisolated\b|\bsesolve\b|without (?:any )?(?:dissipation|damping|decay|"
                r"loss|noise|bath)|with and without|no dissipation|undamped"
            ),
            self.text,
            re.I,
        )
        if open_too and asked:
            return ["unitary", "lindblad"]
        return ["lindblad"] if open_too else ["unitary"]

    def specified(
        self, points: list[_Point], starts: list[SpokenState], span: Times, seen: Observed, swept: list[str]
    ) -> Reading | Unread | Question:
        methods = self.methods(points)
        asked = {label for one in self.body.wanted for label in one.labels}
        cases = []
        for method in methods:
            for point in points:
                for start in starts:
                    labels: dict[str, Any] = dict(point.labels)
                    if len(starts) > 1 or "initial" in asked:
                        labels["initial"] = self.called(start, starts)
                    if len(methods) > 1 or "evolution" in asked:
                        labels["evolution"] = method
                    if method == "unitary" and start.matrix:
                        method = "lindblad"
                    cases.append(
                        Case(
                            labels=labels,
                            hamiltonian=point.generator.hamiltonian,
                            drives=list(point.generator.drives),
                            collapse=list(point.damping.operators) if method == "lindblad" else [],
                            initial=_state(start),
                            method=method,
                            start=span.start,
                            stop=span.stop,
                            points=span.points,
                        )
                    )
        self.assumed += [*self.names.assumed, *span.assumed, *seen.assumed]
        system = points[0].generator.system
        unique = {str(sorted(case.labels.items(), key=str)) + case.method for case in cases}
        cases = [case for k, case in enumerate(cases) if case not in cases[:k]]
        if len(unique) < len(cases):
            return Question(text="Two cases of the task cannot be told apart by their labels. What distinguishes them?")
        constants = self.constants()
        if isinstance(constants, Question):
            return constants
        self.grid = span.spans
        spec = OpenSystemSpec(
            constants=constants,
            title=self.body.heading or "Few-level system",
            dims=system.dims,
            levels=system.levels,
            cases=cases,
            axis=self.label_of(swept[0]) if len(swept) == 1 else "",
            observables=seen.observables,
            populations=seen.populations,
            numbered_levels=seen.numbered,
            wants=[want for want in get_args(Want) if want in seen.wants],
            target=seen.target,
            coherence_of=seen.coherence_of,
            time_unit=self.names.unit,
            parameters=self.parameters(span, system),
        )
        return self.accounted(spec)

    def constants(self) -> dict[str, float] | Question:
        """Numbers that follow from those of the task and that it orders."""
        asked = "\n".join(clean(one.words).text for one in demands(self.body.task))
        if not re.search(
            r"\bn\b(?!\s*=)|n_?th\b|nbar|thermal occupation|Bose[- ]Einstein|mean (?:thermal )?occupation", asked
        ):
            return {}
        occupation = occupation_of(self.body, self.names.single(), self.names.kelvins)
        return occupation if isinstance(occupation, Question) else {"thermal_occupation": occupation}

    def parameters(self, span: Times, system: System) -> dict[str, Any]:
        left_out = {"t", "T1"} if len(system.qubits) == 0 else {"t"}  # a lifetime of a level is in its jump
        made: dict[str, Any] = {
            name: values[0] if len(values) == 1 else values
            for name, values in self.names.values.items()
            if name not in left_out
        }
        made |= {"t_start": span.start, "t_stop": span.stop, "n_times": span.points}
        made["basis"] = "index 0 of a qubit has Z = +1 (QuTiP)"
        made["sigma_minus"] = (
            "|0><1|: from Z = -1 to Z = +1" if system.flipped else "|1><0|: from Z = +1 to Z = -1 (QuTiP sigmam)"
        )
        return made

    def called(self, start: SpokenState, starts: list[SpokenState]) -> str:
        """The label of an initial state: the one of the section of results that fits it."""
        values = [one.value for one in label_values(self.body.wanted, "initial")]
        for value in values:
            plain = value.strip("|>").lower()
            if plain in start.aliases or plain == start.name:
                return value
        return start.name

    def strange(self) -> Unread | None:
        """A sentence of this family with words that nobody knows."""
        for sentence in self.body.sentences:
            strange = unknown_words(sentence.text, VOCABULARY, self.names.spans, sentence.start)
            mine = _EVIDENCE.search(sentence.text) or re.search(r"\bHamiltonian\b|\bH\s*=|\bt\s*=", sentence.text)
            if strange and mine and not sentence.is_heading and not _mixed(self.body):
                words = self.body.original(sentence.start, sentence.end)
                return Unread(words, f"These words are not understood: {', '.join(dict.fromkeys(strange))}.")
        return None

    def accounted(self, spec: OpenSystemSpec) -> Reading | Unread:
        """Which sentences the specification covers; words that nobody knows make a sentence unread."""
        spans = []
        for sentence in self.body.sentences:
            levels = {name.lower() for name in spec.levels}
            strange = unknown_words(sentence.text, VOCABULARY | levels, self.names.spans, sentence.start)
            if strange and not sentence.is_heading and not (_mixed(self.body) and _EVIDENCE.search(sentence.text)):
                if not _mixed(self.body):
                    words = self.body.original(sentence.start, sentence.end)
                    return Unread(words, f"These words are not understood: {', '.join(dict.fromkeys(strange))}.")
                continue  # left to other readers, or to an honest refusal
            spans.append(self.body.span(sentence))
        plain = spec.model_dump(mode="json", exclude={"parameters"})
        place = place_of_frequency(self.body)
        self.seen |= {name for name, (start, end) in self.names.spans_of.items() if start <= place < end}
        unused = [
            one
            for one in self.names.spans_of
            if one not in self.seen | _SETTINGS
            and not all(holds(value, plain) for value in self.names.values.get(one, [0.5]))
        ]
        if unused and not _mixed(self.body):
            start, end = self.names.spans_of[unused[0]]
            return Unread(self.body.original(start, end), "Nothing that was read uses this quantity.")
        used = [
            *self.names.spans,
            *self.grid,
            *ket_sums(self.text, self.names.single()),
            *(one.span() for one in _NAMES_ONLY.finditer(self.text)),
        ]
        if any(case.initial.matrix for case in spec.cases):  # shares of a mixture
            used += [one.span() for one in re.finditer(r"\d+(?:\.\d+)?\s*(?:%|percent\b|per cent\b)", self.text)]
        left = (
            None
            if _mixed(self.body)
            else passed_over(
                self.body,
                used,
                spec.model_dump(mode="json"),
                [*used_for_occupation(self.body), *self.names.taken, *(len(v) for v in self.names.values.values())],
            )
        )
        if left is None and not _mixed(self.body):
            rates = [sum(x * x for x in term.coefficient) for c in spec.cases for op in c.collapse for term in op.terms]
            taken = [*self.names.taken, *(v for values in self.names.values.values() for v in values), *rates]
            several = unread_list(self.body, self.names, used, [*taken, *(2 * one for one in rates)])
            if several:
                return Unread(
                    several, "These values are told for nothing that the reader of few-level systems has read."
                )
        if left is not None:
            return Unread(
                left[0], f"The number {left[1]} in it is nothing that the reader of few-level systems has used."
            )
        given = {
            "expectation",
            "population",
            "coherence",
            "purity",
            "entropy",
            "concurrence",
            "entanglement_entropy",
            "fidelity",
            "steady_state",
            "parameters",
            "slowest_rate",
            "energy",
        }
        foreign = [one for one in self.body.wanted if not set(one.quantities) <= given]
        if foreign and not _mixed(self.body):
            return Unread(f"`{foreign[0].quantities[0]}`", "The family of open systems does not give this quantity.")
        spans += [one.span for one in self.body.wanted if one not in foreign]
        return Reading("open_system", spec, spans, tuple(dict.fromkeys(self.assumed)))


def _mixed(body: Body) -> bool:
    """Whether the task has a part for another family, which may bring other quantities."""
    return bool(re.search(r"\b(?:PySCF|DFT|geometry|basis set|molecul\w+|Hartree|electron density)\b", body.text))


def _state(start: SpokenState) -> State:
    if start.matrix:
        return State(matrix=[[[cell.real, cell.imag] for cell in row] for row in start.matrix])
    norm = math.sqrt(sum(abs(one) ** 2 for one in start.amplitudes))
    return State(amplitudes=[[one.real / norm, one.imag / norm] for one in map(complex, start.amplitudes)])
