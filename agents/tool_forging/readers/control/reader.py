"""Reads tasks of optimal control: pulses by GRAPE for a state transfer or a gate of a closed few-level system."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

import numpy as np
from pydantic import ValidationError

from labwright.agents.call import Question
from labwright.agents.tool_forging.readers.base import Reading, TaskText, Unread
from labwright.agents.tool_forging.readers.control.gates import Array
from labwright.agents.tool_forging.readers.control.goals import GoalWords
from labwright.agents.tool_forging.readers.control.levels import Levels
from labwright.agents.tool_forging.readers.control.pulse_words import PulseWords
from labwright.agents.tool_forging.readers.control.pulses import iterations
from labwright.agents.tool_forging.readers.control.slots import SLOTS
from labwright.agents.tool_forging.readers.control.system import SystemWords
from labwright.agents.tool_forging.readers.control.transfer import Transfer
from labwright.agents.tool_forging.readers.control.words_of_task import Operator, pairs
from labwright.agents.tool_forging.readers.language.absences import without_absences
from labwright.agents.tool_forging.readers.language.body import Body
from labwright.agents.tool_forging.readers.language.quantities import NAMES
from labwright.tools.forge.families.control.spec import Control, ControlSpec

_MEANT = re.compile(
    r"\bGRAPE\b|gradient[- ]ascent|optimal control|pulse (?:optimi[sz]ation|shaping|design)|optimi[sz]e (?:the "
    r")?(?:control )?pulses?|"
    r"(?:find|design|shape|search|compute|construct)\w* (?:for )?(?:an? |the |two |control |optimal |"
    r"optimi[sz]ed |suitable )*pulses?\b|"
    r"control pulses?",
    re.I,
)
_OTHER = re.compile(
    r"\b(?:CRAB|GOAT|Krotov|open[- ]system|collapse operators?|Lindblad|decoherence|T1|T2|robust\w*|ensemble|"
    r"noise|chirp\w*|bandwidth|filter\w*|time[- ]optimal|minimum time|quantum speed limit|shortest|"
    r"pulse energ\w+|energy of the pulses?|fluence|(?:be|are|is|as) smooth|smoothness|"
    r"(?:start|begin)s?(?:ing)? and end(?:s|ing)? (?:\w+ ){0,3}(?:zero|0)|"
    r"(?:several|two|three|four|five|six|ten|twenty|\d+) (?:\w+ )?(?:seeds|restarts|attempts|trials))\b",
    re.I,
)
# amplitudes whose time average is of this size make the pulse area pi/2 a few times over
_AREA = 2.0 * math.pi


class ControlReader:
    """See `labwright.agents.tool_forging.readers.base.Reader`."""

    family = "control"

    def read(self, task: TaskText) -> Reading | Question | Unread | None:
        """Read the task if pulses are to be optimised."""
        body = Body(task)
        if not _MEANT.search(body.text):
            return None
        other = _OTHER.search(without_absences(body.text))
        if other:
            return Unread(
                body.original(*other.span()), "The book has GRAPE for closed systems with exact Hamiltonians."
            )
        return _Task(body).whole()


class _Task(SystemWords, GoalWords, PulseWords):
    """Puts the parts together."""

    def whole(self) -> Reading | Question | Unread:
        problem = self.system()
        if problem is not None:
            return problem
        self.space = Levels(self.levels, self.qubits)
        operators = self.operators()
        if isinstance(operators, Question | Unread):
            return operators
        goal = self.goal()
        if isinstance(goal, Question):
            return goal
        grid = self.grid()
        if isinstance(grid, Question):
            return grid
        spec = self.specified(*operators, goal, grid)
        if isinstance(spec, Unread | Question):
            return spec
        self.settled(spec)
        self.counted()
        self.restated(operators[0], operators[1])
        doubt = self.account.doubt()
        if doubt:
            return Unread(doubt[0], f"{doubt[1]!r} in it is nothing that the reader of control tasks knows.")
        return Reading("control", spec, self.account.covered(), self.assumed)

    def specified(
        self, drift: Array, controls: Sequence[Operator], goal: Transfer, grid: tuple[float, str, int]
    ) -> ControlSpec | Unread | Question:
        """All of it together."""
        kind, initial, initial_name, target, target_name = goal
        duration, unit, slots = grid
        bounds = self.bounds()
        if isinstance(bounds, Question):
            return bounds
        lower, upper = bounds
        ends = [k for k in range(len(self.levels)) if kind == "state" and (any(initial[k]) or abs(target[k, 0]) > 0)]
        penalties = self.penalties(ends)
        if isinstance(penalties, Question):
            return penalties
        named = zip(self.labels(controls), controls, strict=True)
        try:
            return ControlSpec(
                title=self.body.title,
                levels=self.levels,
                goal=kind,
                drift=pairs(drift),
                controls=[Control(label=name, matrix=pairs(one.matrix)) for name, one in named],
                initial=initial,
                initial_name=initial_name,
                target=pairs(target),
                target_name=target_name,
                duration=duration,
                time_unit=unit,
                slots=slots,
                lower=lower,
                upper=upper,
                start="counter_intuitive" if self.is_shaped(controls) else "random",
                start_scale=_scale(controls, duration, upper),
                seed=round(self.number("seed", 0) or 0),
                penalties=penalties,
                fidelity_goal=self.fidelity_goal(),
                iterations=iterations(self.account, bool(penalties)),
                infidelity_target=1e-6,
                wants_average=bool(re.search(r"average (?:gate )?fidelity", self.body.task.text, re.I)),
            )
        except ValidationError as wrong:
            return Unread(self.body.title, str(wrong.errors()[0]["msg"]))

    def is_shaped(self, controls: Sequence[Operator]) -> bool:
        """Whether the pulses start from a counter-intuitive pair."""
        asked = self.account.find(
            r"counter-?intuitive|STIRAP(?:[- ](?:like|type))?[- ](?:guess|start|pulses|initial)|start(?:ing)? "
            r"from (?:a )?STIRAP"
        )
        return bool(asked) and len(controls) == 2

    def restated(self, drift: Array, controls: Sequence[Operator]) -> None:
        """Numbers of the Hamiltonians that a sentence says once more are understood, also in cycles or with a unit."""
        entries = [
            np.abs(np.concatenate([one.real.ravel(), one.imag.ravel()])) for one in (drift, *_matrices(controls))
        ]
        self.account.held = {float(v) for one in entries for v in one if v}
        for one in self.filled.rest:
            if one.kind not in {"frequency", "angular", "rate"} or len(one.numbers.items) != 1:
                continue
            value = one.numbers.items[0].value_or_none(self.values)
            if value is not None and any(
                np.isclose(abs(self.rate(value, one)), v, rtol=2e-4) for v in self.account.held
            ):
                self.account.use(one.start, one.end)

    def counted(self) -> None:
        """What slots are called and what they took is understood."""
        for slot in SLOTS:
            if self.filled.of(slot.name):
                for match in slot.pattern.finditer(self.text):
                    self.account.use(*match.span())
        self.account.every(
            r"\b(?:\d+|two|three|four|five|single|one)[- ](?:level|qubit|control|state)s?\b|"
            r"\|[^|<>]{1,12}>(?:\s*<[^|<>]{1,12}\|)?|"
            r"\bspins?[- ]?1/2\b|\b\d\s*-\s*\d\s+(?:transition|coupling|resonance|frequency)|\b(?:levels?|"
            r"states?)\s+(?:\d(?:\s*,\s*|\s+and\s+)?)+"
        )
        self.account.every(r"\b(?:qubits?|spins?|atoms?|ions?)\W{1,3}\d(?:\s*(?:-|,|and|to)\s*\d)+\b(?!\.\d)")
        self.account.every(
            r"^[ \t>*-]*(?:out(?:put)?|results?|figure|fig|plot|item)[ \t]*\.?[ \t]*\d[ \t]*:", re.I | re.M
        )
        if self.qubits > 1:
            self.account.every(rf"(?<![\w.])[01]{{{self.qubits}}}(?![\w.])")
        self.account.every(
            r"\brandom(?:ly)? (?:initial |starting )?(?:guess|start\w*|seeds?|pulses?|amplitudes|"
            r"numbers|controls)\b|\b(?:initiali[sz]ed|started|starting|start|begin)\s+(?:at random|randomly)\b|"
            r"\brandomly\s+(?:initiali[sz]ed|chosen|drawn)\b"
        )
        for many in self.filled.slots.values():
            for one in many:
                self.account.use(one.start, one.end)
        for span in (*self.formulas, *(match.span() for match in NAMES.finditer(self.text))):
            self.account.use(*span)

    def settled(self, spec: ControlSpec) -> None:
        if spec.lower is None and spec.upper is None:
            self.assumed.append("No bounds of the amplitudes are given; none are set.")
        if spec.start == "random":
            self.assumed.append(
                f"GRAPE starts from smooth random pulses (seed {spec.seed}); other starts end in other pulses."
            )
        for one in spec.penalties:
            self.assumed.append(
                f"Level {spec.levels[one.level]} is kept empty by adding its mean occupation, weight "
                f"{one.weight:g}, to the"
                " infidelity; the same without it is reported beside. A larger weight empties it further."
            )


def _matrices(controls: Sequence[Operator]) -> list[Array]:
    return [one.matrix for one in controls]


def _scale(controls: Sequence[Operator], duration: float, upper: float | None) -> float:
    """Size of random amplitudes to start from, within half of the bound."""
    strength = min(max(float(np.linalg.norm(one.matrix, 2)), 1e-9) for one in controls)
    scale = _AREA / duration / strength
    return scale if upper is None else min(scale, abs(upper) / 2)
