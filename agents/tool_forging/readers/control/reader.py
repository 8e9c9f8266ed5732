"""Reads tasks of optimal control: pulses by GRAPE for a state transfer or a gate of a closed few-level system."""

from __future__ import annotations

import math
import re
from typing import Literal

import numpy as np
from pydantic import ValidationError

from labwright.agents.call import Question
from labwright.agents.tool_forging.readers.base import Reading, TaskText, Unread
from labwright.agents.tool_forging.readers.control.goals import GoalWords
from labwright.agents.tool_forging.readers.control.levels import Levels
from labwright.agents.tool_forging.readers.control.pulses import bounds, fidelity_goal, iterations
from labwright.agents.tool_forging.readers.control.slots import SLOTS
from labwright.agents.tool_forging.readers.control.system import SystemWords
from labwright.agents.tool_forging.readers.control.words_of_task import pairs
from labwright.agents.tool_forging.readers.language.absences import without_absences
from labwright.agents.tool_forging.readers.language.body import Body
from labwright.agents.tool_forging.readers.language.quantities import NAMES
from labwright.tools.forge.families.control.spec import Control, ControlSpec

Goal = Literal["state", "gate"]

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
    r"noise|chirp\w*"
    r"|bandwidth|filter\w*|time[- ]optimal|minimum time|quantum speed limit|rotating[- ]wave)\b",
    re.I,
)
_NAME = r"[A-Za-z]\w*(?:_\{[^{}]*\})?"
# amplitudes whose time average is of this size make the pulse area pi/2 a few times over
_AREA = 2.0 * math.pi
_PENALTY = 1.0


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


class _Task(SystemWords, GoalWords):
    """Puts the parts together."""

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
        lower, upper = self.bounds()
        shaped = len(controls) == 2 and bool(
            self.account.find(
                r"counter-?intuitive|STIRAP(?:[- ](?:like|type))?[- ](?:guess|start|pulses|initial)|start(?:ing)? "
                r"from (?:a )?STIRAP"
            )
        )
        penalties = self.penalties()
        strength = min(max(float(np.linalg.norm(one.matrix, 2)), 1e-9) for one in controls)
        scale = _AREA / duration / strength
        if upper is not None:
            scale = min(scale, abs(upper) / 2)
        self.account.every(
            r"\b(?:\d+|two|three|four|five|single|one)[- ](?:level|qubit|control|state)s?\b|"
            r"\|[^|<>]{1,12}>(?:\s*<[^|<>]{1,12}\|)?"
        )
        try:
            spec = ControlSpec(
                title=self.body.title,
                levels=self.levels,
                goal=kind,
                drift=pairs(drift),
                initial=initial,
                controls=[
                    Control(label=name, matrix=pairs(one.matrix))
                    for name, one in zip(self.labels(controls), controls, strict=True)
                ],
                initial_name=initial_name,
                target=pairs(target),
                target_name=target_name,
                duration=duration,
                time_unit=unit,
                slots=slots,
                lower=lower,
                upper=upper,
                start="counter_intuitive" if shaped else "random",
                start_scale=scale,
                seed=round(self.number("seed", 0) or 0),
                penalties=penalties,
                fidelity_goal=self.fidelity_goal(),
                iterations=iterations(self.account, bool(penalties)),
                infidelity_target=1e-6,
                wants_average=bool(re.search(r"average gate fidelity", self.body.task.text, re.I)),
            )
        except ValidationError as wrong:
            return Unread(self.body.title, str(wrong.errors()[0]["msg"]))
        self.settled(spec)
        self.counted()
        self.account.held = {
            abs(float(v)) for one in (drift, *(c.matrix for c in controls)) for v in np.asarray(one).real.ravel() if v
        }
        self.account.every(
            r"\bspins?[- ]?1/2\b|\b\d\s*-\s*\d\s+(?:transition|coupling|resonance)|\b(?:levels?|"
            r"states?)\s+(?:\d(?:\s*,\s*|\s+and\s+)?)+"
        )
        doubt = self.account.doubt()
        if doubt:
            return Unread(doubt[0], f"{doubt[1]!r} in it is nothing that the reader of control tasks knows.")
        return Reading("control", spec, self.account.covered(), self.assumed)

    def bounds(self) -> tuple[float | None, float | None]:
        """Of all amplitudes: two ends, or one size for both signs."""
        for one in self.filled.of("bound"):
            values = [item.value_or_none(self.values) for item in one.numbers.items]
            if len(values) == 2 and values[0] is not None and values[1] is not None and values[0] < values[1]:
                return values[0], values[1]
        size = self.number("bound")
        if size is None:
            return bounds(self.account)
        return -abs(size), abs(size)

    def fidelity_goal(self) -> float:
        """The fidelity to reach; of several the highest that is named."""
        reached = self.number("fidelity", 0.5, 100)
        missed = self.number("infidelity", 0, 0.5)
        if reached is not None and 0.5 < reached <= 1:
            return reached
        return 1 - missed if missed is not None else fidelity_goal(self.account)

    def counted(self) -> None:
        """What slots are called and what they took is understood."""
        for slot in SLOTS:
            if self.filled.of(slot.name):
                for match in slot.pattern.finditer(self.text):
                    self.account.use(*match.span())
        self.account.every(
            r"\brandom(?:ly)? (?:initial |starting )?(?:guess|start\w*|seeds?|pulses?|amplitudes|"
            r"numbers|controls)\b"
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
