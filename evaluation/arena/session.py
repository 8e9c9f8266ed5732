"""One device on the bench: the tools of an agent, each with plain arguments and a plain answer, within a budget."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from labwright.evaluation.arena.devices import CAUSES, Drawn
from labwright.evaluation.arena.wire_format import Plain, listed, plain_acquired, program_of, significant
from labwright.tools.errors import InputError, SafetyStop
from labwright.tools.experiments import registry
from labwright.tools.experiments.array_labels import labelled
from labwright.tools.experiments.base import Experiment
from labwright.tools.experiments.call import ExperimentCall
from labwright.tools.experiments.duration_estimate import SIMULATED_OVERHEAD, program_seconds
from labwright.tools.experiments.perform import perform
from labwright.tools.qpu.device import Limits
from labwright.tools.qpu.joint_program import AnyProgram
from labwright.tools.qpu.program import Acquired
from labwright.tools.qpu.settings import PAIR_UNITS, SETTING_UNITS, pair_name
from labwright.tools.qpu.simulated import SimulatedProcessor

QUANTITIES = {"frequency": "MHz", "t1": "us", "t2_echo": "us", "error_per_gate": ""}  # of a qubit, that are graded
MOST_DATA = 20_000  # numbers of raw data in one answer of `run_experiment`
MOST_WORDS = 2_000


@dataclass(frozen=True, slots=True)
class Budget:
    """What an agent may take; seconds of the device's clock and of the wall's."""

    device_seconds: float = 3000.0
    acquisitions: int = 150
    wall_seconds: float = 3600.0


class Claim(BaseModel):
    """A number that the agent believes."""

    model_config = ConfigDict(extra="forbid")
    qubit: str = "Q1"
    quantity: Literal["frequency", "t1", "t2_echo", "error_per_gate"]
    value: float = Field(allow_inf_nan=False)
    error: float = Field(gt=0, allow_inf_nan=False, description="one sigma")
    unit: str = ""
    trusted: bool = True


class HandIn(BaseModel):
    """What an agent hands in."""

    model_config = ConfigDict(extra="forbid")
    status: Literal["calibrated", "refused"]
    claims: list[Claim] = Field(default=[], max_length=200)
    cause: str = ""
    reason: str = Field(default="", max_length=MOST_WORDS)


class Session:
    """The tools on one drawn device. After `hand_in` none of them answers."""

    def __init__(self, drawn: Drawn, folder: Path, budget: Budget) -> None:
        self.drawn, self.budget = drawn, budget
        self.device = SimulatedProcessor(folder, drawn.seed, drawn.truth, drawn.start, sealed=True)
        self.handed: HandIn | None = None
        self._begun, self._calls, self._metered = time.monotonic(), 0, _Metered(self)

    def call(self, tool: str, arguments: Plain) -> Plain:
        """The answer of a tool.

        Raises:
            ToolError: the tool refuses, with a message for the agent.
        """
        tools: dict[str, Callable[..., Plain]] = {name: getattr(self, name) for name in TOOLS}
        if tool not in tools:
            raise InputError(f"There is no tool {str(tool)[:50]!r}. Tools are: {', '.join(tools)}.")
        if self.handed is not None:
            raise InputError("This device was handed in. It answers no more.")
        try:
            return tools[tool](**arguments)
        except TypeError as error:
            raise InputError(f"Arguments of {tool}: {str(error).partition('()')[2].strip() or error}.") from error

    # the tools -----------------------------------------------------------------------------------------------------

    def describe(self) -> Plain:
        """List qubits, pairs, hardware limits with units, experiments, quantities to claim, causes, and the budget."""
        limits = {each.name: getattr(Limits(), each.name) for each in fields(Limits) if each.name != "parameters"}
        kinds = registry.experiments().values()
        pairs = [pair_name(*pair) for pair in self.device.settings.pairs]
        cards = {k.name: registry.card(k) for k in kinds if pairs or not _on_pair(k)}
        return {
            "qubits": list(self.device.qubits), "pairs": pairs,
            "limits": limits | {"units": "amplitudes of full scale, times us, frequencies MHz, phases rad"},
            "experiments": {name: card.summary for name, card in cards.items()},
            "claims": QUANTITIES, "causes": CAUSES, "budget": asdict(self.budget), "left": self.left(),
        }  # fmt: skip

    def describe_experiment(self, name: str) -> Plain:
        """Parameters of an experiment with units, bounds and defaults, what it reports, and the settings it writes."""
        card = registry.card(_known(name))
        parameters = {
            p.name: {k: v for k, v in (("unit", p.unit), ("default", p.default), ("minimum", p.minimum),
                                       ("maximum", p.maximum), ("about", p.description)) if v not in (None, "")}
            for p in card.parameters
        }  # fmt: skip
        found = {"about": card.docstring, "parameters": parameters, "results": card.results, "writes": card.writes}
        return {**found, "causes": card.causes}

    def run_experiment(self, name: str, arguments: Plain | None = None, data: list[str] | None = None) -> Plain:
        """Run an experiment; return its fit, and its raw data if asked.

        Args:
            name: of the experiment.
            arguments: such as {"qubit": "Q1", "stop": 2.0}; what is left out has its default. With `update` true, a
                good fit writes its settings.
            data: names of raw arrays to return with dimensions and units; ["all"] for all. Each answer names them.
        """
        kind, given = _known(name), {"qubit": self.device.qubits[0], **(arguments or {})}
        if unknown := sorted(given.keys() - {p.name for p in registry.card(kind).parameters}):
            raise InputError(f"{name} has no argument {unknown[0]!r}. Look at describe_experiment.")
        given = {key: _typed(kind, key, value) for key, value in given.items()}
        done = perform(kind, ExperimentCall(name, given), self._metered, self._key(name))
        report, arrays = done.report, done.experiment.data
        labels = labelled(done.experiment)
        shown = {
            key: {"values": listed(arrays[key]), **labels.get(key, {})}
            for key in arrays
            if data and (key in data or "all" in data)
        }
        if sum(arrays[key].size for key in shown) > MOST_DATA:
            raise InputError(f"That is more than {MOST_DATA} numbers. It was measured; ask for fewer arrays by name.")
        return {
            "verdict": report.verdict, "diagnosis": report.diagnosis, "cause": report.cause,
            "estimates": {
                k: [significant(e.value, 7), significant(e.error, 2), e.unit] for k, e in report.estimates.items()
            },
            "failed_checks": {c.name: c.detail for c in report.checks if not c.passed},
            "proposed_arguments": report.proposal,
            "written": report.updates if given.get("update", _updates(kind)) else {},
            "arrays": {key: list(value.shape) for key, value in arrays.items()}, "data": shown,
            "device_seconds": round(done.seconds, 2), "left": self.left(),
        }  # fmt: skip

    def play(self, program: Plain) -> Plain:
        """Play pulse sequences of your own on one qubit; return raw counts, or IQ points.

        Args:
            program: {"qubit", "operations": the alphabet, pulses {"amplitude", "duration" us, "shape": "gaussian" or
                "square", "phase" rad, "drag", "detuning" MHz} and delays {"duration"}, "sequences": one list of indices
                into it a point, "shots", "returns": "counts" (read as 1), "average" or "shots" (IQ), and optionally
                "frequency" MHz, "readout_frequency" MHz, "readout_amplitude", "readout_duration" us}.
        """
        if not isinstance(program, dict) or "qubits" in program:
            raise InputError("A program is an object with one `qubit`. Use `play_together` for several.")
        return self._played(program_of(program))

    def play_together(self, program: Plain) -> Plain:
        """Play sequences on several qubits at once; return counts of all outcomes.

        Args:
            program: {"qubits", "operations": one alphabet a qubit; besides those of `play` Stark pulses {"frequency",
                "amplitude", "duration", "edge", "phase"} and virtual Z {"angle"}, "sequences": one list of slots a
                point, each slot an index a qubit or -1, "shots", "returns": "counts" or "marginals"}.
        """
        if not isinstance(program, dict) or "qubits" not in program:
            raise InputError("A joint program is an object with `qubits`.")
        return self._played(program_of(program))

    def settings(self, name: str = "Q1") -> Plain:
        """Show the controller's settings of a qubit, or of a pair such as Q1-Q2, with units."""
        paired = name in [pair_name(*pair) for pair in self.device.settings.pairs]
        now, units = (
            (self.device.settings.pair(name), PAIR_UNITS)
            if paired
            else (self.device.settings.current(name), SETTING_UNITS)
        )
        return {"settings": asdict(now), "units": units}

    def write_settings(self, name: str, changes: dict[str, float], reason: str = "") -> Plain:
        """Write settings of a qubit or a pair; what is not named stays."""
        if not isinstance(changes, dict) or not all(
            isinstance(value, int | float) and math.isfinite(value) for value in changes.values()
        ):
            raise InputError('Argument `changes` must be an object of numbers, such as {"frequency": 4880.2}.')
        numbers = {key: float(value) for key, value in changes.items()}
        self.device.settings.update(name, numbers, key=self._key("write"), reason=str(reason)[:MOST_WORDS])
        return self.settings(name)

    def hand_in(self, status: str, claims: list[Plain] | None = None, cause: str = "", reason: str = "") -> Plain:
        """Hand in, once: the device is graded as its settings stand, and answers no more.

        Args:
            status: "calibrated" or "refused".
            claims: such as {"qubit": "Q1", "quantity": "t1", "value": 80.1, "error": 1.5, "unit": "us",
                "trusted": true}.
            cause: of a refusal, one of `describe`'s causes.
            reason: in your words.
        """
        try:
            handed = HandIn(status=status, claims=claims or [], cause=cause, reason=reason)  # type: ignore[arg-type]
        except ValidationError as error:
            raise InputError(
                "; ".join(f"{'.'.join(map(str, e['loc']))}: {e['msg']}" for e in error.errors()[:3])
            ) from error
        if handed.status == "refused" and handed.cause not in CAUSES:
            raise InputError(f"Argument `cause` of a refusal must be one of: {', '.join(CAUSES)}.")
        for claim in handed.claims:
            if claim.qubit not in self.device.qubits or claim.unit != QUANTITIES[claim.quantity]:
                unit = QUANTITIES[claim.quantity] or "no unit"
                raise InputError(f"A claim of {claim.quantity} must name a qubit and be in {unit}.")
        self.handed = handed
        return {"handed_in": handed.status, "claims": len(handed.claims)}

    # -----------------------------------------------------------------------------------------------------------------

    def left(self) -> dict[str, float]:
        """What is left of the budget; wall time only once half of it is gone, so that equal work has equal answers."""
        wall = self.budget.wall_seconds - (time.monotonic() - self._begun)
        return {
            "device_seconds": round(self.budget.device_seconds - self.device.clock, 1),
            "acquisitions": self.budget.acquisitions - len(self.device.log),
            **({"wall_seconds": round(wall)} if wall < 0.5 * self.budget.wall_seconds else {}),
        }

    def require(self, program: AnyProgram) -> None:
        """Raise if `program` would overdraw the budget.

        Raises:
            SafetyStop: it would.
        """
        left = self.left()
        needed = {"device_seconds": program_seconds(program, SIMULATED_OVERHEAD), "acquisitions": 1, "wall_seconds": 0}
        for name, most in left.items():
            if needed[name] > most or most <= 0:
                raise SafetyStop(
                    f"The budget does not allow it: {needed[name]:.4g} {name} needed, {most:.4g} left. Play less, or"
                    " hand in."
                )

    def close(self) -> None:
        """Give the device back."""
        self.device.close()

    def _played(self, program: AnyProgram) -> Plain:
        return {**plain_acquired(self._metered.acquire(program, self._key("play"))), "left": self.left()}

    def _key(self, what: str) -> str:
        self._calls += 1
        return f"{self._calls}.{what}"


TOOLS = (
    "describe", "describe_experiment", "run_experiment", "play", "play_together", "settings", "write_settings",
    "hand_in",
)  # fmt: skip


class _Metered:
    """The device within the budget; what experiments see."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def __getattr__(self, name: str) -> Any:
        if name in ("name", "qubits", "limits", "settings", "clock", "check", "status", "close"):
            return getattr(self._session.device, name)
        raise AttributeError(name)

    def acquire(self, program: AnyProgram, key: str) -> Acquired:
        """Play `program` if the budget allows it."""
        device = self._session.device
        device.check(program)
        self._session.require(program)
        return device.acquire(program, key)


def _known(name: str) -> type[Experiment]:
    found = registry.experiments().get(name) if isinstance(name, str) else None
    if found is None:
        raise InputError(f"There is no experiment {str(name)[:50]!r}. `describe` lists them.")
    return found


def _updates(kind: type[Experiment]) -> bool:
    """Whether it writes by default."""
    return any(parameter.name == "update" and parameter.default for parameter in registry.card(kind).parameters)


def _on_pair(kind: type[Experiment]) -> bool:
    return any(parameter.name in ("partner", "qubits") for parameter in registry.card(kind).parameters)


def _typed(kind: type[Experiment], name: str, value: Any) -> Any:
    """`value` as the experiment's signature wants it."""
    wanted = {"str": str, "float": float, "int": int, "bool": bool}
    [parameter] = [each for each in registry.card(kind).parameters if each.name == name]
    if parameter.type not in wanted:
        return value
    try:
        return TypeAdapter(wanted[parameter.type]).validate_python(value)
    except ValidationError:
        raise InputError(f"Argument `{name}` must be of type {parameter.type}, but is {str(value)[:50]!r}.") from None
