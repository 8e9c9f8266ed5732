"""`SequenceSpec`: several specifications one after the other; later ones use what earlier ones, or runs, found."""

from __future__ import annotations

import copy
import difflib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from labwright.tools.errors import InputError
from labwright.tools.specifications.base import Path, Specification
from labwright.tools.specifications.values import shown

SYSTEM = "sequence"
RUN = "run:"  # before the id of a run; what follows `#` is the path into its result
MOST = 50


class SequenceStep(BaseModel):
    """One specification, written here or in a file of its own."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    label: str = Field(
        default="", max_length=60, pattern=r"^\w*$", description="Name for later steps; `step1` and so on if empty."
    )
    spec: dict[str, Any] | None = Field(
        default=None, description="A specification; a value may be {from: label.path} or {from: run:ID#path}."
    )
    file: str = Field(
        default="", max_length=1000, description="Or its file; the path counts from the folder of this document."
    )

    @model_validator(mode="after")
    def _one_of_two(self) -> SequenceStep:
        if (self.spec is None) == (not self.file):
            raise ValueError("A step has either a `spec` or a `file`, one of the two.")
        return self


class SequenceSpec(Specification):
    """Specifications that run one after the other, each as a run of its own."""

    system: Literal["sequence"] = "sequence"
    steps: list[SequenceStep] = Field(min_length=1, max_length=MOST)

    @property
    def labels(self) -> list[str]:
        """The name of each step."""
        return [step.label or f"step{number}" for number, step in enumerate(self.steps, 1)]

    @model_validator(mode="after")
    def _own_labels(self) -> SequenceSpec:
        doubled = {label for label in self.labels if self.labels.count(label) > 1 or label == "run"}
        if doubled:
            raise ValueError(f"The label {min(doubled)!r} is taken. Give each step its own.")
        return self


@dataclass(frozen=True, slots=True)
class Reference:
    """A value that is taken from a result: where it stands, where it comes from, and a factor."""

    path: Path
    source: str  # label of a step, or ``run:ID``
    inner: str  # path into the `result` of that step's or run's document
    times: float = 1

    @property
    def text(self) -> str:
        """As it is written."""
        return f"{self.source}#{self.inner}" if self.source.startswith(RUN) else f"{self.source}.{self.inner}"


def references(data: Any, labels: list[str], path: Path = ()) -> Iterator[Reference]:
    """The references in plain data. ``{from: t1.t1}`` of a plan is its own unless `labels` holds that name."""
    if isinstance(data, dict) and isinstance(data.get("from"), str) and not set(data) - {"from", "times"}:
        text, times = data["from"], data.get("times", 1)
        source, _, inner = text.partition("#" if text.startswith(RUN) else ".")
        if source in labels or source.startswith(RUN):
            if isinstance(times, bool) or not isinstance(times, int | float):
                raise InputError(f"{'.'.join(map(str, path))}: `times` must be a number, but is {times!r}.")
            yield Reference(path, source, inner, times)
        return
    items: Any = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    for name, value in items:
        yield from references(value, labels, (*path, name))


def substituted(data: dict[str, Any], found: list[Reference], value: Callable[[Reference], Any]) -> dict[str, Any]:
    """A copy of `data` with every reference replaced by what `value` gives for it."""
    data = copy.deepcopy(data)
    for each in found:
        holder: Any = data
        for part in each.path[:-1]:
            holder = holder[part]
        holder[each.path[-1]] = value(each)
    return data


def reached(result: dict[str, Any], inner: str, times: float = 1) -> Any:
    """The value at a path such as ``qubits.Q1.measured.t1.t1``; an estimate becomes its number with its unit.

    Raises:
        InputError: the path leads nowhere; the message says where it stops, what is there and what to write.
    """
    here: Any = result
    parts = inner.split(".") if inner else []
    while parts:
        taken = next((end for end in range(len(parts), 0, -1) if _has(here, ".".join(parts[:end]))), 0)
        if not taken:
            raise InputError(f"Path {inner!r} leads nowhere at {parts[0]!r}. {_ways_on(inner, parts, here)}")
        name, parts = ".".join(parts[:taken]), parts[taken:]
        here = here[int(name)] if isinstance(here, list) else here[name]
    if isinstance(here, dict) and isinstance(here.get("value"), int | float) and "unit" in here:
        return shown(here["value"] * times, here["unit"])
    if times == 1:
        return here
    if isinstance(here, bool) or not isinstance(here, int | float):
        raise InputError(f"Path {inner!r} leads to {here!r:.60}, which cannot be multiplied. Leave `times` out.")
    return here * times


def _ways_on(inner: str, parts: list[str], here: Any) -> str:
    """What there is where a path stops before `parts`, and what to write."""
    done = inner.removesuffix(".".join(parts))
    known = [str(name) for name in (here if isinstance(here, dict) else range(len(here)) if _many(here) else ())]
    if not known:
        return (
            f"There is no more. Write {done.removesuffix('.')}." if done else "There is nothing: the result is empty."
        )
    near = difflib.get_close_matches(".".join(parts), known, 1, 0.5)
    fix = f"Did you mean {done}{near[0]}?" if near else f"Write one of these{f' after {done}' if done else '.'}"
    return f"There is: {', '.join(known[:MOST])}. {fix}"


def _has(here: Any, name: str) -> bool:
    return name in here if isinstance(here, dict) else _many(here) and name.isdigit() and int(name) < len(here)


def _many(here: Any) -> bool:
    return isinstance(here, list)
