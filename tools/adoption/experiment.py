"""An `Experiment` made of an accepted card and the foreign module beside it."""

from __future__ import annotations

import ast
import inspect
import math
import traceback
from collections.abc import Iterator, Mapping
from pathlib import Path
from statistics import mean, stdev
from types import ModuleType
from typing import Annotated, Any, ClassVar

import numpy as np
from scipy.special import stdtrit

from labwright.tools.adoption.card import AdoptionCard, Found, Given, read_card, source_of
from labwright.tools.adoption.framework_stand_ins import frameworks
from labwright.tools.adoption.instrument_stand_ins import Session
from labwright.tools.adoption.source_reading import imported_by
from labwright.tools.errors import InputError
from labwright.tools.experiments import figures
from labwright.tools.experiments.array_labels import Array, over, swept
from labwright.tools.experiments.base import (
    Check,
    Estimate,
    Experiment,
    Quantity,
    Report,
    binomial_error,
    visual_inspection,
)
from labwright.tools.experiments.failure_causes import causes_of
from labwright.tools.experiments.needs import LINE, PULSE, READOUT

CARD = ".adopted.yaml"
ONE_SIGMA = 0.8413
SHOTS = (50, 20000, 1000)
CAUSES = causes_of(
    "error_bar_too_wide",
    foreign_code_failed="The adopted code raised an error on these data.",
    no_number="The adopted code gave no finite number where its card expects one.",
    outside_bounds="A result lies outside of the bounds that its card gives.",
)
PICTURE = """
The figure shows every measured fraction read as 1 against what was swept. In a good one the points follow one curve
that goes well beyond their error bars. It is a failure if they only scatter, or if the curve is cut off.
"""


def adopt(file: str, module: str) -> type[Experiment]:
    """The experiment of the card beside the module `file` of a lab folder, whose ``__name__`` is `module`.

    Raises:
        InputError: the card or the foreign module is missing, or not what was accepted.
    """
    path = Path(file).with_suffix(CARD)
    card = read_card(path.read_text(encoding="utf-8"), path.name) if path.is_file() else None
    if card is None:
        raise InputError(f"There is no card {path}. Adopt the measurement again.")
    if card.open():
        raise InputError(f"The card {path} is not filled in: {', '.join(card.open())}.")
    return adopted(card, path.parent, module)


def adopted(card: AdoptionCard, folder: Path, module: str) -> type[Experiment]:
    """The experiment class of a complete card; the foreign module is loaded when it is first run."""
    chosen = {name: each for name, each in card.given.items() if each.is_ in ("number", "count")}
    x = next(iter(card.knobs), "swept")
    body: dict[str, Any] = {
        "__doc__": f"{card.summary} Adopted from {card.file}.",
        "__module__": module,
        "name": card.name,
        "card": card,
        "folder": folder,
        "arrays": _arrays(card, x),
        "results": {name: found.unit for name, found in card.results.items()},
        "run": _run(card, chosen),
    }
    return type(card.object, (Adopted,), body)


class Adopted(Experiment):
    """What every adopted measurement does: run the foreign code on the bench, and hold what it leaves to its card."""

    summary_instructions: ClassVar[str] = "The checks decide: the adopted code's own analysis gave the numbers."
    causes = CAUSES
    needs = (READOUT, LINE, PULSE)
    card: ClassVar[AdoptionCard]
    folder: ClassVar[Path]

    def measure(self, qubit: str, shots: int, chosen: Mapping[str, float]) -> None:
        """Run the foreign code, several times if it states no errors."""
        self.found: dict[str, list[tuple[float, float]]] = {name: [] for name in self.card.results}
        self.failure = ""
        taken: list[tuple[dict[str, float], float]] = []
        left = self.card.repeats
        while left and not self.failure:
            session = Session(self.card, self.bench, qubit, shots)
            self._once(session, chosen)
            taken += session.taken
            alone = any(math.isnan(rows[-1][1]) for rows in self.found.values() if rows)
            left = left - 1 if alone else 0
        names = [*self.card.knobs] or ["swept"]
        fractions = np.array([fraction for _, fraction in taken])
        self.data = {name: np.array([values.get(name, math.nan) for values, _ in taken]) for name in names}
        self.data |= {
            "acquisition": np.arange(len(taken), dtype=float),
            "fraction": fractions,
            "error": binomial_error(np.rint(fractions * shots).astype(np.int64), shots),
        }

    def _once(self, session: Session, chosen: Mapping[str, float]) -> None:
        """One run of the foreign code, and what it left."""
        content = source_of(self.card, self.folder)
        imported = imported_by(ast.parse(content))
        loaded = _loaded(self.card, content, imported)
        arguments = {
            name: _foreign(each, chosen[name]) if name in chosen else session.argument(name)
            for name, each in self.card.given.items()
        }
        try:
            with frameworks(imported, loading=False):
                left = _called(loaded, self.card, arguments)
        except Exception as error:
            if session.stopped is not None:  # a limit, or the device: not the foreign code's to judge
                raise session.stopped from None
            if isinstance(error, InputError):
                raise
            self.failure = f"{type(error).__name__}: {error} (line {_line(error, self.card.file)} of {self.card.file})"
            return
        if session.stopped is not None:
            raise session.stopped
        for name, found in self.card.results.items():
            self.found[name].append(_number(left, found))

    def report(self) -> Report:
        """The results of the foreign analysis, with errors, held to the card."""
        if self.failure:
            return Report("bad_data", "the adopted code failed", self.failure, cause="foreign_code_failed")
        estimates = {name: self._estimate(name) for name in self.card.results}
        checks = tuple(each for name, estimate in estimates.items() for each in self._checks(name, estimate))
        words = "; ".join(f"{name} = {e.value:.6g} +- {e.error:.2g} {e.unit}".rstrip() for name, e in estimates.items())
        failed = [check for check in checks if not check.passed]
        if not failed:
            variables = {name: estimate.value for name, estimate in estimates.items()}
            return Report("success", "adopted analysis", f"{words}.", estimates, checks, variables=variables)
        cause = (
            "no_number"
            if "number" in failed[0].name
            else "outside_bounds"
            if "between" in failed[0].name
            else "error_bar_too_wide"
        )
        diagnosis = f"{failed[0].name}: no ({failed[0].detail})"
        return Report("bad_data", diagnosis, f"{words}.", estimates, checks, cause=cause)

    def _estimate(self, name: str) -> Estimate:
        values, errors = zip(*self.found[name], strict=True)
        unit, n = self.card.results[name].unit, len(values)
        if n == 1 or not all(map(math.isfinite, values)):
            return Estimate(values[-1], errors[-1], unit)
        # of a few runs the scatter is poorly known: Student's 68 % interval
        spread = stdev(values) / math.sqrt(n) * float(stdtrit(n - 1, ONE_SIGMA))
        return Estimate(mean(values), spread, unit)

    def _checks(self, name: str, estimate: Estimate) -> Iterator[Check]:
        found, most = self.card.results[name], self.card.largest_error
        finite = math.isfinite(estimate.value) and math.isfinite(estimate.error)
        yield Check(f"{name} is a number with an error", finite, f"{estimate.value:.6g} +- {estimate.error:.2g}")
        low, high = float(found.smallest), float(found.largest)
        yield Check(
            f"{name} between {low:g} and {high:g} {found.unit}".rstrip(),
            low <= estimate.value <= high,
            f"{estimate.value:.6g} {found.unit}".rstrip(),
        )
        share = estimate.error / abs(estimate.value) if estimate.value else math.inf
        yield Check(f"error of {name} at most {100 * most:g} %", share <= most, f"{100 * share:.1f} %")

    @visual_inspection(PICTURE)
    def plot(self) -> figures.Figure:
        """Every fraction against what was swept."""
        x = next(iter(self.card.knobs), "swept")
        unit = self.card.knobs[x].unit if x in self.card.knobs else ""
        made, (axis,) = figures.figure(f"{self.card.object}, {self.qubit}")
        figures.data(axis, self.data[x], self.data["fraction"], self.data["error"])
        shown = {"us": r" ($\mu$s)", "": " (arb. units)"}.get(unit, f" ({unit})")
        axis.set_xlabel(x + shown)
        axis.set_ylabel("fraction read as 1")
        return made


def _arrays(card: AdoptionCard, x: str) -> dict[str, Array]:
    found = swept("acquisition") | over("acquisition", "fraction", "error")
    for name, knob in card.knobs.items():
        found |= over("acquisition", name, unit=knob.unit)
    return found | ({} if card.knobs else over("acquisition", x))


def _run(card: AdoptionCard, chosen: Mapping[str, Given]) -> Any:
    """`run` with the signature and the docstring that the card makes."""

    def run(self: Adopted, **given: Any) -> None:
        numbers = {name: value for name, value in self.arguments.items() if name in chosen}
        self.measure(self.qubit, self.arguments["shots"], numbers)

    kinds: dict[str, Any] = {"qubit": str}
    defaults: dict[str, Any] = {"qubit": inspect.Parameter.empty}
    lines = ["qubit: name of the qubit, such as Q1."]
    for name, each in chosen.items():
        plain: Any = int if each.is_ == "count" else float
        kinds[name] = Annotated[plain, Quantity(each.unit, float(each.smallest), float(each.largest))]
        defaults[name] = inspect.Parameter.empty if each.default is None else plain(each.default)
        told = f"{each.says.rstrip('.') or name}" + (f", in {each.unit}" if each.unit else "")
        lines.append(f"{name}: {told}." + ("" if each.default is None else f" Default {defaults[name]:g}."))
    kinds["shots"] = Annotated[int, Quantity("", *SHOTS[:2])]
    defaults["shots"] = SHOTS[2]
    lines.append(f"shots: repetitions of every point. Default {SHOTS[2]}.")
    required = [name for name, default in defaults.items() if default is inspect.Parameter.empty]
    order = [*required, *(name for name in defaults if name not in required)]
    keyword = inspect.Parameter.POSITIONAL_OR_KEYWORD
    parameters = [inspect.Parameter("self", keyword)]
    parameters += [inspect.Parameter(name, keyword, default=defaults[name], annotation=kinds[name]) for name in order]
    signature = inspect.Signature(parameters)
    run.__signature__ = signature  # type: ignore[attr-defined]
    run.__annotations__ = kinds
    asked = f"Asked for as: {', '.join(card.asked_for_as)}."
    run.__doc__ = "\n\n".join([card.summary, card.use, asked, "Args:\n    " + "\n    ".join(lines)])
    return run


def _foreign(given: Given, value: float) -> float:
    return int(value) if given.is_ == "count" else given.there(float(value))


def _loaded(card: AdoptionCard, content: bytes, imported: set[str]) -> Any:
    """The foreign function or class."""
    module = ModuleType(f"labwright_adopted_{card.name}")
    try:
        with frameworks(imported, loading=True):
            exec(compile(content, card.file, "exec"), module.__dict__)
    except Exception as error:
        raise InputError(
            f"{card.file} does not load: {type(error).__name__}: {error} (line {_line(error, card.file)}). Fix it and"
            " adopt it again."
        ) from error
    if not hasattr(module, card.object):
        raise InputError(f"{card.file} has no {card.object!r}. Adopt it again.")
    return getattr(module, card.object)


def _called(loaded: Any, card: AdoptionCard, arguments: dict[str, Any]) -> dict[str, Any]:
    """What the foreign code returns and stores: ``{return, self}``."""
    if not card.start:
        return {"return": loaded(**arguments)}
    builds = {} if loaded.__init__ is object.__init__ else inspect.signature(loaded).parameters
    made = loaded(**{name: arguments[name] for name in builds if name in arguments})
    rest = {name: value for name, value in arguments.items() if name not in builds}
    made._labwright_arguments = rest
    returned = getattr(made, card.start)(**rest)
    for name in card.finish:
        getattr(made, name)()
    return {"return": returned, "self": made}


def _number(left: dict[str, Any], found: Found) -> tuple[float, float]:
    """(value, error) in our unit; NaN for what is not there."""
    value = _at(left, found.from_)
    ends = (found.error,) if isinstance(found.error, str) else found.error
    errors = [_at(left, path) for path in ends if path]
    error = (_plain(errors[1]) - _plain(errors[0])) / 2 if len(errors) > 1 else errors[0] if errors else None
    if error is None:
        error = getattr(value, "std_dev", getattr(value, "s", None))
    value = getattr(value, "nominal_value", getattr(value, "n", value))
    return found.here(_plain(value)), abs(found.here(_plain(error)))


def _plain(value: Any) -> float:
    try:
        return float(np.squeeze(np.asarray(value, dtype=float)))
    except (TypeError, ValueError):
        return math.nan


def _at(left: dict[str, Any], path: str) -> Any:
    value: Any = left
    for part in path.split("."):
        try:
            if isinstance(value, Mapping):
                value = value[part]
            elif part.lstrip("-").isdigit():
                value = value[int(part)]
            else:
                value = getattr(value, part)
        except (KeyError, IndexError, AttributeError, TypeError):
            return None
    return value


def _line(error: BaseException, file: str) -> int:
    """The last line of `file` that the error went through; 0 if none."""
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == file]
    return lines[-1] or 0 if lines else 0
