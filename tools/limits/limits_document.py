"""``limits.yaml``: amplitude, power, bands, device time and writes that nothing said in or to a run can loosen."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from labwright.tools.errors import LabLimitError
from labwright.tools.limits.drive_tones import mean_power, tones
from labwright.tools.qpu.device import Bound, Limits
from labwright.tools.qpu.joint_program import AnyProgram
from labwright.tools.qpu.settings import PAIR_UNITS, SETTING_UNITS, QubitSettings
from labwright.tools.specifications.base import Path, line_of
from labwright.tools.specifications.bounds import Bounds, MHz, Text, checked, size
from labwright.tools.specifications.values import evaluated, in_unit
from labwright.tools.specifications.yaml_files import read_document, validated

ANY = "any"
UNITS = PAIR_UNITS | SETTING_UNITS  # of every setting
FullScale = Annotated[float, Field(gt=0, le=1)]
Settings = Callable[[str], QubitSettings]
STRICT = ConfigDict(extra="forbid", frozen=True)
CURE = "No plan, model, answer or resume can raise it; who runs the lab changes the file, for new runs."


class Line(BaseModel):
    """What one kind of tone may be."""

    model_config = STRICT
    amplitude: FullScale | None = Field(default=None, description="Largest amplitude, of full scale.")
    bands: list[tuple[MHz, MHz]] = Field(default=[], max_length=50, description="Allowed, as in [4.7 GHz, 5.1 GHz].")

    @field_validator("bands")
    @classmethod
    def _rising(cls, bands: list[tuple[str, str]]) -> list[tuple[str, str]]:
        for low, high in bands:
            if not size(low, "MHz") < size(high, "MHz"):
                raise ValueError(f"The band [{low}, {high}] is empty. Write the lower end first.")
        return bands

    def numbers(self) -> list[tuple[float, float]]:
        """The bands, MHz."""
        return [(size(low, "MHz"), size(high, "MHz")) for low, high in self.bands]


class Drive(Line):
    """Pulses on the drive line."""

    power: FullScale | None = Field(
        default=None, description="Largest mean over a shot, readout and reset included; 1 is full scale all the time."
    )


class Section(BaseModel):
    """Limits of all qubits, or of one. Where both say something, both hold."""

    model_config = STRICT
    drive: Drive = Drive()
    stark: Line | None = Field(default=None, description="Off-resonant pulses of two-qubit gates; as `drive` if empty.")
    readout: Line = Line()
    writes: Literal["none"] | dict[str, Text | Literal["any"]] | None = Field(
        default=None,
        description="Setting -> how far a run may move it, or `any`; what is not listed stays. Empty: all.",
    )

    @field_validator("writes")
    @classmethod
    def _known(cls, writes: Any) -> Any:
        for name, change in writes.items() if isinstance(writes, dict) else ():
            if name not in UNITS:
                raise ValueError(f"There is no setting {name!r}. Settings are: {', '.join(UNITS)}.")
            if change != ANY:
                checked(change, UNITS[name])
        return writes

    def line(self, kind: str) -> tuple[str, Line]:
        """The limits of a kind of tone, and the field that they stand in."""
        if kind == "readout":
            return "readout", self.readout
        return ("stark", self.stark) if kind == "stark" and self.stark else ("drive", self.drive)

    def change(self, setting: str) -> float | None:
        """How far `setting` may be moved, in its own unit; 0 for not at all, None for any distance."""
        if self.writes is None:
            return None
        change = self.writes.get(setting, "") if isinstance(self.writes, dict) else ""
        return None if change == ANY else size(change, UNITS[setting]) if change else 0.0


class LabLimits(Section):
    """The whole file."""

    limits: Literal[1] = Field(description="Version of the format.")
    title: str = Field(default="", max_length=200)
    qubits: dict[str, Section] = Field(default={}, max_length=1000, description="Tighter: of Q3, or the pair Q1-Q2.")
    run: Bounds = Bounds()

    @model_validator(mode="after")
    def _something(self) -> LabLimits:
        if not self.model_dump(exclude_defaults=True, exclude={"limits", "title"}):
            raise ValueError("It limits nothing. Write at least one limit: `labwright new limits` shows them all.")
        return self


@dataclass(frozen=True)
class Law:
    """One file of limits, as it was read.

    Attributes:
        name: of the file, as messages call it.
        text: its content.
        limits: typed.
        lines: line of every field.
    """

    name: str
    text: str
    limits: LabLimits
    lines: Mapping[Path, int]

    def where(self, *path: str) -> str:
        """``limits.yaml, line 4, drive.amplitude``."""
        return f"{self.name}, line {line_of(path, dict(self.lines))}, {'.'.join(path)}"

    def sections(self, name: str) -> Iterator[tuple[Path, Section]]:
        """What holds for a qubit, or a pair such as Q1-Q2, with the path of each."""
        yield (), self.limits
        for each in dict.fromkeys((name, *name.split("-"))):
            if each in self.limits.qubits:
                yield ("qubits", each), self.limits.qubits[each]

    def check_program(self, program: AnyProgram, settings: Settings, overhead: float) -> None:
        """Raise a LabLimitError for the first tone that is too strong or outside of its bands.

        Args:
            program: what would be played.
            settings: of a qubit, for what the program leaves open.
            overhead: readout and reset of one shot, us.
        """
        for qubit, kind, frequency, amplitude in tones(program, settings):
            for path, section in self.sections(qubit):
                field, line = section.line(kind)
                most = line.amplitude
                if most is not None and not (loudest := float(np.abs(amplitude).max())) <= most:
                    self._refuse(
                        f"The {kind} amplitude {loudest:g} of {qubit} is above {most:g}", path, field, "amplitude"
                    )
                bands = line.numbers()
                for value in np.atleast_1d(frequency) if bands else ():
                    if not any(low <= value <= high for low, high in bands):
                        told = f"The {kind} frequency {value:.6g} MHz of {qubit} is in no allowed band"
                        self._refuse(told, path, field, "bands")
        for qubit, power in mean_power(program, overhead).items():
            for path, section in self.sections(qubit):
                most = section.drive.power
                if most is not None and not power <= most:
                    self._refuse(
                        f"The mean drive power {power:.3g} of {qubit} is above {most:g}", path, "drive", "power"
                    )

    def check_change(self, name: str, setting: str, first: float, new: float) -> None:
        """Raise a LabLimitError if `setting` may not be moved from what the run found, `first`, to `new`."""
        for path, section in self.sections(name):
            most, unit = section.change(setting), UNITS[setting]
            if most is not None and not abs(new - first) <= most * (1 + 1e-9):
                listed = isinstance(section.writes, dict) and setting in section.writes
                told = f"{setting} of {name} may not be moved by more than {most:g} {unit}".strip() if listed else ""
                told = (
                    f"{told}, but {first:.9g} would become {new:.9g}"
                    if told
                    else f"{setting} of {name} may not be written"
                )
                self._refuse(told, path, "writes", *([setting] if listed else []))

    def frozen(self, name: str, settings: tuple[str, ...]) -> list[str]:
        """Those of `settings` that may not be written at all."""
        return [each for each in settings if any(section.change(each) == 0 for _, section in self.sections(name))]

    def _refuse(self, what: str, path: Path, *field: str) -> None:
        raise LabLimitError(f"{what} ({self.where(*map(str, path), *field)}). {CURE}")


def read_law(text: str, name: str) -> Law:
    """The limits that `text` holds.

    Raises:
        SpecificationError: malformed, an unknown field, a number without unit; each with its line.
    """
    document = read_document(text, name)
    return Law(name, text, validated(LabLimits, document.data, name, document.lines), document.lines)


def allowed(laws: tuple[Law, ...], more: tuple[tuple[Bounds, str], ...] = ()) -> list[str]:
    """What a run may take and which limits hold, in sentences for who approves it; none if nothing is limited."""
    found = [
        f"The lab's limits hold: {law.name}{f' ({law.limits.title})' if law.limits.title else ''}." for law in laws
    ]
    for bounds, where in (*((law.limits.run, law.name) for law in laws), *more):
        plain = bounds.model_dump(exclude_defaults=True, mode="json")
        if plain:
            found.append(f"At most, by {where}: {', '.join(entries(plain))}.")
    return found


def entries(plain: Mapping[str, Any], *path: str) -> Iterator[str]:
    """``drive.amplitude 0.8``: every value of nested fields with its path."""
    for name, value in plain.items():
        if isinstance(value, Mapping) and value:
            yield from entries(value, *path, name)
        else:
            listed = value if isinstance(value, list) else [value]
            shown = (" to ".join(map(str, each)) if isinstance(each, list) else str(each) for each in listed)
            yield f"{'.'.join((*path, name))} {', '.join(shown)}"


def tightened(limits: Limits, laws: tuple[Law, ...], bounds: tuple[tuple[Bounds, str], ...]) -> Limits:
    """What an experiment may plan with: the device's limits within those of the lab and of the plan."""
    for law in laws:
        drive, readout, stark = law.limits.drive, law.limits.readout, law.limits.stark
        driven = drive.numbers() + (stark.numbers() if stark else []) if drive.bands else []
        limits = replace(
            limits,
            amplitude=_below(limits.amplitude, drive.amplitude),
            readout_amplitude=_below(limits.readout_amplitude, readout.amplitude),
            drive_frequency=_within(limits.drive_frequency, driven),
            readout_frequency=_within(limits.readout_frequency, readout.numbers()),
        )
    return replace(limits, parameters=_parameters(bounds))


def _below(pair: tuple[float, float], most: float | None) -> tuple[float, float]:
    return pair[0], min(pair[1], pair[1] if most is None else most)


def _within(pair: tuple[float, float], bands: list[tuple[float, float]]) -> tuple[float, float]:
    """The pair, cut to the hull of the bands."""
    return (max(pair[0], min(bands)[0]), min(pair[1], max(high for _, high in bands))) if bands else pair


def _parameters(bounds: tuple[tuple[Bounds, str], ...]) -> dict[str, tuple[Bound, ...]]:
    found: dict[str, tuple[Bound, ...]] = {}
    for each, where in bounds:
        for name, limit in each.parameters.items():
            low, high = (None, evaluated(limit)) if isinstance(limit, str) else map(evaluated, limit)
            smallest = in_unit(low, high.unit or "") if low else -np.inf
            bound = Bound(smallest, high.value, high.unit, f"{where}.parameters.{name}")
            found[name] = (*found.get(name, ()), bound)
    return found
