"""``expected.yaml``: what a right run finds and how it is done, as data."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from labwright.evaluation.forge.methodology import Methodology
from labwright.tools.errors import InputError
from labwright.tools.plain_yaml import read_yaml

NAME = "expected.yaml"
Plain = str | float
Matrix = list[list[float]]


class _Entry(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Pulses(_Entry):
    """A control problem: recorded pulses are propagated again with it.

    `drift` and `controls` are sums such as ``0.5 ZZ + 0.1 XI`` or real matrices; the target is a state or a gate.
    """

    drift: str | Matrix
    controls: dict[str, str | Matrix] = Field(description="Name of a control -> its Hamiltonian.")
    duration: float
    initial: list[float] = []
    target: list[float] = []
    gate: list[list[tuple[float, float]]] = Field(default=[], description="Rows of [re, im].")
    bound: float | None = Field(default=None, description="Largest amplitude that is allowed.")


class Expected(_Entry):
    """One result.

    Attributes:
        name: how the other entries and the demand call it.
        quantity: names that the record may bear; `finding.SYNONYMS` adds those of the field.
        labels: key, or several joined by ``|``, -> the values that are accepted.
        axis: what the values run along, or several names joined by ``|``; empty for a single number or text;
            ``sorted`` for all numbers of a record in rising order.
        unit, axis_unit: of `values` and `at`. A record without a unit is taken to be in these.
        at: positions along the axis.
        values: at these positions, or one value.
        either: convention -> values, where the task leaves one open; the best one counts.
        tolerance: largest difference for the whole point; with `half` for half a point.
        relative: whether tolerances are parts of the value's size.
        points: least number of positions that the record has.
        at_least, at_most: bounds in place of values.
        probabilities, shots: of counts; `tolerance` is about shares.
        pulses: the recorded pulses reach `at_least`.
        source: where the value comes from.
    """

    name: str
    quantity: list[str]
    labels: dict[str, list[Plain]] = {}
    axis: str = ""
    unit: str = ""
    axis_unit: str = ""
    at: list[float] = []
    values: list[float] | Plain | None = None
    either: dict[str, list[float] | float] = {}
    tolerance: float = 0.0
    half: float | None = None
    relative: bool = False
    points: int = 0
    at_least: float | None = None
    at_most: float | None = None
    probabilities: dict[str, float] = {}
    shots: int = 0
    pulses: Pulses | None = None
    source: str = ""


class Shown(_Entry):
    """A figure that was asked for: the named results, as the run found them, in plots of one kind; orbitals alone."""

    kind: Literal["lines", "heatmap", "bars", "orbitals"]
    show: list[str]
    together: bool = False


class File(_Entry):
    """A file that was asked for by name, and the results that stand in it. Names may hold ``*``."""

    name: str
    hold: list[str] = []


class Expectation(_Entry):
    """All that is expected of a run of one task."""

    results: list[Expected] = []
    figures: list[Shown] = []
    files: list[File] = []
    packages: list[list[str]] = Field(default=[], description="Named by the task: every line, any of a line.")
    methodology: Methodology | None = None


def read_expected(folder: Path) -> Expectation:
    """The expectation in a task's folder.

    Raises:
        InputError: it is missing or not of this form.
    """
    path = folder / NAME
    try:
        return Expectation.model_validate(read_yaml(path.read_text(encoding="utf-8")))
    except FileNotFoundError:
        raise InputError(f"{folder.name} has no {NAME}. Write what a right run finds.") from None
    except ValidationError as wrong:
        first = wrong.errors()[0]
        raise InputError(f"{folder.name}/{NAME}: {'.'.join(map(str, first['loc']))}: {first['msg']}.") from wrong
