"""What every experiment promises to people and agents, as checks: run them on an experiment of your own."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args, get_type_hints

from labwright.tools.errors import InputError
from labwright.tools.experiments.array_labels import declared_for, labelled
from labwright.tools.experiments.base import Experiment, Quantity, Report
from labwright.tools.experiments.call import ParameterCard
from labwright.tools.experiments.check_call import GROUP, PARTNER
from labwright.tools.experiments.failure_causes import ALWAYS, SHARED
from labwright.tools.experiments.perform import visual_prompts
from labwright.tools.experiments.registry import card, reference_image
from labwright.tools.qpu.settings import PairSettings, QubitSettings
from labwright.tools.units import UNITS, canonical_unit

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SNAKE_CASE = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")
BOOKS = {pair: {each.name for each in fields(book)} for pair, book in ((False, QubitSettings), (True, PairSettings))}
SETTINGS = BOOKS[False] | BOOKS[True]
LARGEST_PICTURE = 40_000  # bytes; a model pays for every one
# A label ends with its unit in parentheses, or names something that has none.
UNIT = re.compile(r"\((?:[GMk]?Hz|\$\\mu\$s|µs|ns|s|rad|deg|%|full scale|arb\. units|units of its error)\)$")
DIMENSIONLESS = re.compile(
    r"fraction|population|probabilit|fidelity|contrast|coefficient|residual|deviation|/ \$\\sigma\$|"
    r"\\langle|number of|iteration|gates|cliffords|shots|counts|state|outcome|pair of pulses|operator|matrix|purity",
    re.IGNORECASE,
)


def broken_promises(kind: type[Experiment], lab: Path | None = None) -> list[str]:
    """What an experiment leaves out of its name, docstring, parameters, causes and inspections; empty if nothing.

    `lab` is the folder in which its reference pictures are looked up besides the package's own.
    """
    found = [*_naming(kind), *_docstring(kind), *_annotations(kind), *_causes(kind), *_writes(kind), *_needs(kind)]
    for parameter in card(kind).parameters:
        found += _parameter(parameter)
    return [*found, *_inspections(kind, lab)]


def broken_report_promises(kind: type[Experiment], report: Report) -> list[str]:
    """What a report says that its experiment did not declare; empty if nothing."""
    found = []
    if report.verdict != "success" and not report.cause:
        found.append(f"The report is {report.verdict}, but has no cause. Give one of `causes`.")
    if report.cause and report.cause not in ALWAYS | kind.causes:
        found.append(f"The report has the cause {report.cause!r}, which `causes` does not declare.")
    for name in sorted(report.updates.keys() - set(kind.writes)):
        found.append(f"The report updates the setting {name!r}, which `writes` does not declare.")
    return found


def broken_data_promises(experiment: Experiment) -> list[str]:
    """Which arrays of an experiment that has run are not what its `arrays` declares; empty if all are."""
    found = []
    for name, values in experiment.data.items():
        declared = declared_for(name, type(experiment).arrays)
        if declared is None:
            found.append(f"The array {name!r} is not declared. Say in `arrays` what its dimensions and its unit are.")
        elif len(declared.dims) != values.ndim:
            found.append(f"The array {name!r} has the shape {values.shape}, but is declared over {declared.dims}.")
    if not found:
        found += _uneven(labelled(experiment), experiment.data)
    return found


def _uneven(labels: dict[str, dict[str, Any]], data: dict[str, Any]) -> Iterator[str]:
    """Dimensions that are of one length in one array and of another in the next."""
    lengths: dict[str, int] = {name: len(each["words"]) for name, each in labels.items() if each["words"]}
    for name, values in data.items():
        for dim, length in zip(labels[name]["dims"], values.shape, strict=True):
            if lengths.setdefault(dim, length) != length:
                yield f"The dimension {dim!r} of {name!r} has {length} places, elsewhere {lengths[dim]}."


def unlabelled(made: Figure) -> list[str]:
    """What the axes of a figure do not say: labels, and the unit in each; empty if nothing."""
    made.draw_without_rendering()
    found = [] if made.get_suptitle() else ["The figure has no title."]
    found += [] if made.axes else ["The figure has no axes."]
    for axis in made.axes:
        for side, label in _sides(axis):
            if not label:
                found.append(f"An axis has no {side} label.")
            elif not (UNIT.search(label) or DIMENSIONLESS.search(label)):
                found.append(f"The {side} label {label!r} states no unit. End it with one, such as (MHz).")
    return found


def _naming(kind: type[Experiment]) -> Iterator[str]:
    if not SNAKE_CASE.fullmatch(kind.name):
        yield f"The name {kind.name!r} is not in snake case."
    if not kind.__doc__:
        yield "The class has no docstring."


def _causes(kind: type[Experiment]) -> Iterator[str]:
    if not kind.causes:
        yield "The class declares no `causes`: what a report that is no success may give as its cause."
    for cause, meaning in kind.causes.items():
        if cause in ALWAYS:
            yield f"The cause {cause!r} is every experiment's; it need not be declared."
        if not SNAKE_CASE.fullmatch(cause):
            yield f"The cause {cause!r} is not in snake case."
        if not re.fullmatch(r"[A-Z0-9].{10,}\.", meaning):
            yield f"The cause {cause!r} is not explained in one sentence."
        if SHARED.get(cause, meaning) != meaning:
            yield f"The cause {cause!r} means something else in other experiments: {SHARED[cause]}"


def _writes(kind: type[Experiment]) -> Iterator[str]:
    for name in kind.writes:
        if name not in SETTINGS:
            yield f"There is no setting {name!r} to write. Settings are: {', '.join(sorted(SETTINGS))}."
    if "update" in inspect.signature(kind.run).parameters and not kind.writes:
        yield "`run` takes `update`, but `writes` names no setting that a run may change."


def _needs(kind: type[Experiment]) -> Iterator[str]:
    if not any("needs" in vars(each) for each in kind.__mro__[: kind.__mro__.index(Experiment)]):
        yield "The class declares no `needs`: the settings that have to be right first, `()` if none."
    several = {PARTNER, GROUP} & inspect.signature(kind.run).parameters.keys()
    for need in kind.needs:
        for name in set(need.settings) - BOOKS[need.pair] or ([] if need.settings else [""]):
            yield f"There is no setting {name!r} to need of a {'pair' if need.pair else 'qubit'}."
        if need.pair and not several:
            yield f"It needs the {need}, but `run` takes one qubit."
        if (need.age is not None and need.age <= 0) or (need.error is not None and need.error <= 0):
            yield f"It needs the {need}, which no result can be; leave out what does not matter."
        if need.age is not None and need.pair == bool(several) and set(need.settings) & set(kind.writes):
            yield f"It needs the {need}, which it measures itself; leave the age out."
    for name, estimate in kind.errors.items():
        if name not in kind.writes or estimate not in kind.results:
            yield f"`errors` takes {name!r} from {estimate!r}; the one must be in `writes`, the other in `results`."


def _docstring(kind: type[Experiment]) -> Iterator[str]:
    docstring = inspect.getdoc(kind.run) or ""
    summary = docstring.partition("\n")[0]
    if not (summary.endswith(".") and len(summary) > 30):
        yield "The docstring of `run` must begin with one full sentence on one line: what the experiment measures."
    if "Use it" not in docstring:
        yield "The docstring of `run` does not say when to use it (`Use it to ...`)."
    asked = re.search(r"^Asked for as:(.*?)(?:\n\s*\n|\Z)", docstring, re.DOTALL | re.MULTILINE)
    if asked is None or "," not in asked[1]:
        yield "The docstring of `run` names fewer than two phrases that people use for it (`Asked for as: a, b.`)."
    elif "Not for:" in asked[1]:
        yield "In the docstring of `run`, `Not for:` must begin a paragraph of its own, or its phrases ask for it."


def _annotations(kind: type[Experiment]) -> Iterator[str]:
    hints = get_type_hints(kind.run, include_extras=True)
    for name, parameter in list(inspect.signature(kind.run).parameters.items())[1:]:
        hint = hints.get(name)
        plain = get_args(hint)[0] if hasattr(hint, "__metadata__") else hint
        if not ({*get_args(plain)} or {plain}) & {int, float}:
            continue
        marks = [mark for mark in getattr(hint, "__metadata__", ()) if isinstance(mark, Quantity)]
        if len(marks) != 1:
            yield f"Parameter `{name}` is a number without `Quantity(unit, smallest, largest)`."
            continue
        yield from _quantity(name, marks[0], parameter.default)


def _quantity(name: str, quantity: Quantity, default: Any) -> Iterator[str]:
    if canonical_unit(quantity.unit) not in UNITS:
        yield f"Parameter `{name}` is in {quantity.unit!r}, which nobody can convert into."
    if not quantity.minimum < quantity.maximum:
        yield f"Parameter `{name}` has bounds that leave nothing: {quantity.minimum:g} to {quantity.maximum:g}."
    elif default not in (inspect.Parameter.empty, None) and not quantity.minimum <= default <= quantity.maximum:
        yield f"Parameter `{name}` has a default outside of its bounds: {default:g}."


def _parameter(parameter: ParameterCard) -> Iterator[str]:
    name, text = parameter.name, parameter.description
    if len(text) <= 10:
        yield f"Parameter `{name}` is not described below `Args:`."
        return
    if parameter.unit and not re.search(rf"(?<!\w){re.escape(parameter.unit)}(?!\w)", text):
        yield f"The description of `{name}` does not say that it is in {parameter.unit}."
    if parameter.required or parameter.default is None:
        return
    stated = re.search(r"Default:? (True|False|-?[\d.]*\d|[\w/+-]+)", text)
    number = isinstance(parameter.default, int | float) and not isinstance(parameter.default, bool)
    if stated is None:
        yield f"The description of `{name}` does not say its default (`Default {parameter.default}.`)."
    elif not ((number and _as_number(stated[1]) == parameter.default) or stated[1] == str(parameter.default)):
        yield f"The description of `{name}` says default {stated[1]}, but it is {parameter.default}."


def _as_number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def _inspections(kind: type[Experiment], lab: Path | None) -> Iterator[str]:
    prompts = visual_prompts(kind)
    if not prompts:
        yield "No method that draws a figure is marked with `@visual_inspection(prompt)`."
    for name, prompt in prompts.items():
        if "good" not in prompt.lower():
            yield f"The prompt of `{name}` does not say what a good figure looks like."
        if not re.search(r"fail|not converged", prompt):
            yield f"The prompt of `{name}` does not say what a failure looks like."
        for picture in re.findall(r'Image\("([^"]+)"\)', prompt):
            yield from _picture(picture, lab)
    if len(getattr(kind, "summary_instructions", "").split()) < 8:
        yield "`summary_instructions` must say, in a sentence, what decides."


def _picture(name: str, lab: Path | None) -> Iterator[str]:
    try:
        size = reference_image(name, lab).stat().st_size
    except InputError as error:
        yield str(error)
        return
    if size > LARGEST_PICTURE:
        yield f"The picture {name} has {size} bytes; make it smaller than {LARGEST_PICTURE}."


def _sides(axis: Axes) -> Iterator[tuple[str, str]]:
    """The labels an axis has to have; one that shares its abscissa or ordinate with another shows it once."""
    if not axis.axison:
        return
    bar = axis.get_label() == "<colorbar>"
    if not bar and any(tick.get_visible() for tick in axis.get_xticklabels()):
        yield "x", axis.get_xlabel()
    if any(tick.get_visible() for tick in axis.get_yticklabels()):
        yield "y", axis.get_ylabel()
