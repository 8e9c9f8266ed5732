"""`AdoptionCard`: what a person has to know and say of a foreign measurement before it may run here."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from labwright.tools.errors import InputError
from labwright.tools.experiments.conformance import SNAKE_CASE
from labwright.tools.specifications.yaml_files import read_document, validated
from labwright.tools.units import UNITS, canonical_unit, dimension

OPEN = "?"  # what is still to be filled in
GATES = tuple(f"{axis}{turn}{sign}" for axis in "XY" for turn in ("90", "180") for sign in ("", "m"))
Kind = Literal["number", "count", "fixed", "qubit", "name", "knob", "reading", "measurement", "station", "driver"]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)


class _Scaled(_Strict):
    """Something with a unit here and perhaps another one there."""

    unit: str = Field(default="", description="Here: us, MHz, rad, or empty for a pure number.")
    in_: str = Field(default="", alias="in", description="In the foreign code, if it is another one, such as s.")
    smallest: float | str = Field(default=OPEN, description="In `unit`.")
    largest: float | str = Field(default=OPEN, description="In `unit`.")

    @model_validator(mode="after")
    def _of_one_kind(self) -> _Scaled:
        if OPEN in (self.unit, self.in_):
            return self
        for unit in (self.unit, self.in_):
            if canonical_unit(unit) not in UNITS:
                raise ValueError(f"There is no unit {unit!r}. Units are: {', '.join(filter(None, UNITS))}.")
        if self.in_ and dimension(self.in_) != dimension(self.unit):
            raise ValueError(f"{self.in_!r} and {self.unit!r} do not measure the same thing.")
        if isinstance(self.smallest, float) and isinstance(self.largest, float) and self.smallest >= self.largest:
            raise ValueError(f"`smallest` ({self.smallest:g}) is not below `largest` ({self.largest:g}).")
        return self

    def there(self, value: float) -> float:
        """`value` of ours as the foreign code has it."""
        return value * self._factor

    def here(self, value: float) -> float:
        """A foreign `value` in our unit."""
        return value / self._factor

    @property
    def _factor(self) -> float:
        foreign = self.in_ or self.unit
        return UNITS[canonical_unit(self.unit)][1] / UNITS[canonical_unit(foreign)][1]


class Given(_Scaled):
    """One parameter of the foreign function, and what it is given."""

    is_: Kind = Field(
        alias="is",
        description="number or count: chosen by whoever runs it; fixed: always `value`; qubit: LeeQ's element; name:"
        " the qubit's name; knob and reading: callables, also with set() and get(); measurement: a function of"
        " `knobs` that gives fractions; station: an object with every knob and reading; driver: one with the"
        " methods of `driver`.",
    )
    says: str = Field(default="", max_length=300, description="What it is, for people and agents.")
    default: float | None = Field(default=None, description="Of a number or count, in `unit`.")
    value: Any = Field(default=None, description="Of what is fixed.")
    of: str = Field(default="", description="Which knob or reading; its own name if empty.")
    knobs: tuple[str, ...] = Field(default=(), description="Of a measurement: what its arguments set, in order.")


class Knob(_Scaled):
    """A number that the foreign code sets before it measures. What it does is said by `play` or `driver`."""

    first: float | None = Field(default=None, description="In `unit`: as it stands until the code sets it.")


class Played(_Strict):
    """A pulse whose numbers may be knobs."""

    amplitude: float | str = Field(description="Full scale.")
    duration: float | str | None = Field(default=None, description="us; that of the calibrated gates if empty.")
    phase: float | str = Field(default=0.0, description="rad by which it runs ahead, or -KNOB.")
    detuning: float | str = Field(default=0.0, description="MHz, added to the drive frequency.")
    shape: Literal["gaussian", "square"] = "gaussian"


class Play(_Strict):
    """One operation: a gate, a pause, or a pulse."""

    gate: str = ""
    turned: float | str = Field(
        default=0.0,
        description="rad by which the phase of the drive runs ahead, as in cos(w t + phase), or -KNOB. A qubit above"
        " the drive turns the same way; code that means the axis on the Bloch sphere (X to Y) the other way.",
    )
    wait: float | str | None = Field(default=None, description="us, or a knob that is a time.")
    share: float = Field(default=1.0, gt=0, le=1, description="Of `wait`, such as 0.5 for either half of an echo.")
    pulse: Played | None = None

    @model_validator(mode="before")
    @classmethod
    def _named(cls, value: Any) -> Any:
        return {"gate": value} if isinstance(value, str) else value

    @model_validator(mode="after")
    def _one(self) -> Play:
        if [bool(self.gate), self.wait is not None, self.pulse is not None].count(True) != 1:
            raise ValueError("Write one of: a gate such as X90, `{wait: KNOB}`, `{pulse: {amplitude: ..., ...}}`.")
        if self.gate and self.gate not in GATES:
            raise ValueError(f"There is no gate {self.gate!r}. Gates are: {', '.join(GATES)}.")
        return self

    @property
    def knobs(self) -> list[str]:
        """What it takes from knobs."""
        pulse = self.pulse.model_dump(exclude={"shape"}).values() if self.pulse else ()
        values = [self.wait, self.turned, *pulse]
        return [value.removeprefix("-") for value in values if isinstance(value, str)]


class Method(_Strict):
    """A method of a driver that keeps a sequence: it begins one, adds to it, or plays it and reads the qubit out."""

    does: Literal["begin", "play", "read"] = "play"
    knobs: tuple[str, ...] = Field(default=(), description="What its arguments set, in order.")
    play: tuple[Play, ...] = Field(default=(), description="What it adds.")


class Found(_Scaled):
    """One number that the foreign code leaves behind."""

    from_: str = Field(alias="from", description="Such as return.t1, return.0 or self.fit_params.T1.")
    error: str | tuple[str, str] = Field(
        default="",
        description="Where its standard error is, or both ends of its 68 % interval. If empty, that of a ufloat, else"
        " from repeated runs.",
    )


class AdoptionCard(_Strict):
    """A foreign measurement. Bounds and units are facts that only its owner knows."""

    adopt: Literal[1] = 1
    name: str = Field(max_length=60)
    file: str = Field(max_length=300, description="The foreign module.")
    sha256: str = Field(min_length=64, max_length=64, description="Of the file as it was read.")
    object: str = Field(max_length=100, description="A function or class in it.")
    start: str = Field(default="", max_length=100, description="Of a class: the method that measures.")
    finish: tuple[str, ...] = Field(default=(), description="Of a class: methods called after it, without arguments.")
    summary: str = Field(max_length=300, description="One sentence: what it measures.")
    use: str = Field(max_length=400, description="When to use it: `Use it to ...`.")
    asked_for_as: tuple[str, ...] = Field(min_length=2, description="What people call it.")
    given: dict[str, Given] = Field(default_factory=dict)
    knobs: dict[str, Knob] = Field(default_factory=dict)
    readings: tuple[str, ...] = Field(default=(), description="Names under which the fraction read as 1 is taken.")
    play: tuple[Play, ...] = Field(default=(), description="What is played each time before the qubit is read out.")
    driver: dict[str, Method] = Field(default_factory=dict, description="Methods of the object that the code drives.")
    results: dict[str, Found] = Field(min_length=1)
    largest_error: float = Field(
        default=0.2, gt=0, le=1, description="Relative error up to which a result is accepted."
    )
    repeats: int = Field(default=3, ge=2, le=20, description="Runs, if the code gives a result without an error.")

    @model_validator(mode="after")
    def _whole(self) -> AdoptionCard:
        if not SNAKE_CASE.fullmatch(self.name):
            raise ValueError(f"`name` {self.name!r} must be in snake case, such as echo_decay.")
        plays = [*self.play, *(each for method in self.driver.values() for each in method.play)]
        used = [name for each in plays for name in each.knobs]
        named = [*used, *(name for method in self.driver.values() for name in method.knobs)]
        named += [name for each in self.given.values() for name in each.knobs]
        named += [each.of or name for name, each in self.given.items() if each.is_ == "knob"]
        for name in named:
            if name not in self.knobs:
                raise ValueError(f"{name!r} is not among `knobs`. Declare it, or write one of: {listed(self.knobs)}.")
        for name in self.knobs.keys() - set(used):
            raise ValueError(f"The knob {name!r} changes nothing that is played. Use it in `play`, or leave it out.")
        for name, each in self.given.items():
            if each.is_ == "reading" and (each.of or name) not in self.readings:
                raise ValueError(f"{each.of or name!r} is not among `readings`. Write it there.")
        return self

    def open(self) -> list[str]:
        """Paths of what is still to be filled in."""
        return [*_open(self.model_dump(by_alias=True, exclude={"file", "sha256"}), "", self.given)]


def listed(names: Any) -> str:
    """Names for a message."""
    return ", ".join(sorted(names)) or "none"


def _open(value: Any, path: str, given: dict[str, Given]) -> Any:
    if value == OPEN:
        bounded = not path.startswith("given.") or given[path.split(".")[1]].is_ in ("number", "count")
        if bounded or not path.endswith(("smallest", "largest", "unit", "in")):
            yield path
    elif isinstance(value, dict):
        for name, each in value.items():
            yield from _open(each, f"{path}.{name}".removeprefix("."), given)
    elif isinstance(value, list | tuple):
        for number, each in enumerate(value):
            yield from _open(each, f"{path}.{number}", given)


def read_card(text: str, name: str = "") -> AdoptionCard:
    """The card in a YAML text.

    Raises:
        SpecificationError: it is no such card; with line, field, cause and fix.
    """
    document = read_document(text, name)
    return validated(AdoptionCard, document.data, name, document.lines)


def source_of(card: AdoptionCard, folder: Path) -> bytes:
    """The foreign module of a card that lies in `folder`, as it was accepted.

    Raises:
        InputError: it is not there, or is another one than was accepted.
    """
    path = folder / card.file
    if not path.resolve().is_relative_to(folder.resolve()) or not path.is_file():
        raise InputError(f"The module {card.file!r} of {card.name!r} is not in {folder}. Adopt it again.")
    content = path.read_bytes()
    if hashlib.sha256(content).hexdigest() != card.sha256:
        raise InputError(
            f"{path} has changed since {card.name!r} was accepted. Look at it and run: labwright adopt {path} --object"
            f" {card.object}"
        )
    return content
