"""Which numbers of a text are backed by its sources: a model may quote a measurement, never invent one."""

from __future__ import annotations

import re

from pydantic import BaseModel, ConfigDict

# Not inside a word (Q1, f01, T2), but a unit may follow directly (30ns).
NUMBER = re.compile(r"(?<![\w.])[-+]?\d+(?:,\d{3})*(?:\.\d+)?(?:e[-+]?\d+)?", re.IGNORECASE)
# MHz as kHz or Hz, us as ns, a fraction as percent: the same number in another unit.
SCALES = (1.0, 1e3, 1e-3, 1e2, 1e-2, 1e6, 1e-6)
UNIT = re.compile(
    r"[\s-]*(?:%|[GMk]?Hz\b|[nuµμm]?s\b|(?:micro|nano|milli)?seconds?\b|rad\b|deg\b|dBm?\b)", re.IGNORECASE
)


class Named(BaseModel):
    """A named number. Lists of these stand where a map would, because strict schemas know no open maps."""

    model_config = ConfigDict(extra="forbid")
    name: str
    value: float


class Measurement(BaseModel):
    """A measured number with its one-sigma error."""

    model_config = ConfigDict(extra="forbid")
    name: str
    value: float
    error: float
    unit: str


class Parameter(BaseModel):
    """A parameter of the experiment that ran, with what it may be."""

    model_config = ConfigDict(extra="forbid")
    name: str
    value: float
    unit: str = ""
    minimum: float | None = None
    maximum: float | None = None


def numbers_in(text: str) -> list[float]:
    """Every number written in `text`, in order."""
    return [float(found.group().replace(",", "")) for found in NUMBER.finditer(text)]


def unsupported(text: str, sources: list[float]) -> list[str]:
    """The numbers of `text` that no source number explains.

    A number counts as explained if it equals a source to the digits shown, in the same or another common unit.
    Whole numbers up to 10 without a unit pass: they count things.
    """
    found = []
    for match in NUMBER.finditer(text):
        shown = match.group().replace(",", "")
        value = float(shown)
        counts = value == int(value) and abs(value) <= 10 and not UNIT.match(text, match.end())
        if counts or any(_same(shown, value, source) for source in sources):
            continue
        found.append(match.group())
    return found


def _same(shown: str, value: float, source: float) -> bool:
    """Whether `source`, in some unit, rounds to what is shown."""
    mantissa, _, exponent = shown.lower().partition("e")
    decimals = len(mantissa.partition(".")[2])
    half_digit = 0.55 * 10.0 ** (int(exponent or 0) - decimals)
    return any(abs(abs(value) - abs(source * scale)) <= half_digit for scale in SCALES)


def misfits(changes: list[Named], parameters: list[Parameter]) -> list[str]:
    """What is wrong with proposed parameter changes: unknown names, values out of range."""
    known = {parameter.name: parameter for parameter in parameters}
    found = []
    for change in changes:
        parameter = known.get(change.name)
        if parameter is None:
            found.append(f"There is no parameter {change.name!r}. Parameters are: {', '.join(known) or 'none'}.")
        elif (parameter.minimum is not None and change.value < parameter.minimum) or (
            parameter.maximum is not None and change.value > parameter.maximum
        ):
            found.append(
                f"Parameter {change.name!r} must be between {parameter.minimum:g} and {parameter.maximum:g}"
                f" {parameter.unit}, but {change.value:g} was proposed."
            )
    return found
