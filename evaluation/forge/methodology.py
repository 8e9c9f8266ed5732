"""How a task was done: the paper's tables 8 and 10 with their weights, looked up in what was called and recorded."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import partial
from itertools import product
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from labwright.evaluation.forge.criteria import Criterion, Missing, Seen, check, share
from labwright.evaluation.forge.result_records import Label, array, label_values, number, one, parameter, records
from labwright.evaluation.forge.workspace_contents import Workspace
from labwright.tools.plain_yaml import read_yaml

IMAGINARY = -20.0  # 1/cm: below this a mode is unstable, above it the noise of a flat coordinate
Found = tuple[bool, str]
Plain = str | float
Accepted = Plain | list[Plain]


class _Entry(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Distinct(_Entry):
    """At least so many values of a label among the records of a quantity."""

    record: str
    label: str
    at_least: int


class Follows(_Entry):
    """A recorded number that is a sum of other numbers, records or parameters, each times its factor."""

    record: str
    sum: dict[str, float]
    within: float


class Part(_Entry):
    """One look at a workspace; exactly one of its kinds is given.

    Attributes:
        said: what is looked for, in words; made from the rest where it is empty.
        all, any: parts of which all or one must hold.
        calls: package -> names of it, one of which code that ran names; no names: anything of it.
        imports: one of these packages was imported.
        inputs: files came with the task.
        words: one was used in parameters, inputs of tools, scripts, or as a name that was called.
        numbers: all were used, whatever their sign.
        records: there is a record of each quantity; with `labels`, several values of which are all accepted; once for
            each combination of `over`; with at least `points` along `axis`, or that axis from one number to another.
        minima: molecules without an imaginary frequency.
        parameters: one of these names is a parameter, a number of `at_least`, or `within` of one of `near`.
    """

    said: str = ""
    all: list[Part] = []
    any: list[Part] = []
    calls: dict[str, list[str]] = {}
    imports: list[str] = []
    inputs: bool = False
    words: list[str] = []
    numbers: list[float] = []
    records: list[str] = []
    labels: dict[str, Accepted] = {}
    over: dict[str, list[Accepted]] = {}
    axis: str = ""
    points: int = 0
    covers: tuple[float, float] | None = None
    minima: list[str] = []
    parameters: list[str] = []
    at_least: float | None = None
    near: list[float] = []
    within: float = 0.0
    distinct: Distinct | None = None
    follows: Follows | None = None


class Stage(_Entry):
    """A step of the expected workflow, its weight in per cent, and what shows that it was done."""

    demand: str
    weight: float
    parts: list[Part]


class Methodology(_Entry):
    """The expected workflow; without `package`, which the task names, no stage counts."""

    package: str = ""
    stages: list[Stage]


def read_methodology(folder: Path) -> Methodology:
    """The expected workflow in a task's folder."""
    return Methodology.model_validate(read_yaml((folder / "expected.yaml").read_text(encoding="utf-8"))["methodology"])


def staged(methodology: Methodology, workspace: Workspace) -> list[Criterion]:
    """A criterion a stage; its score is the share of its parts that hold."""

    def look(stage: Stage) -> Seen:
        if methodology.package and not called(workspace, methodology.package):
            return 0.0, f"{methodology.package} was not used"
        return share(found for part in stage.parts for found in _look(part, workspace))

    numbered = enumerate(methodology.stages, 1)
    return [check(f"M{number}", stage.demand, partial(look, stage), stage.weight) for number, stage in numbered]


def called(workspace: Workspace, package: str, *names: str) -> bool:
    """Whether `package` was imported in the run and code that ran names something of it, one of `names` if given.

    A name counts as ``package.....name``, or as a method of some object where the package was imported.
    """
    if package not in workspace.packages:
        return False
    inside = [name for name in workspace.named.callables if name.partition(".")[0] == package]
    if not names:
        return bool(inside)
    return any(name.rpartition(".")[2] in names for name in inside) or bool(
        inside and set(names) & workspace.named.methods
    )


def _look(part: Part, workspace: Workspace) -> Iterator[Found]:
    """What a part finds, once for each record or molecule that it names."""
    if part.records:
        for values, quantity in product(product(*part.over.values()), part.records):
            labels = {**part.labels, **dict(zip(part.over, values, strict=True))}
            yield _record(
                part, quantity, {k: tuple(v) if isinstance(v, list) else v for k, v in labels.items()}, workspace
            )
    elif part.minima:
        yield from (_minimum(name, workspace) for name in part.minima)
    else:
        yield _one(part, workspace)


def _one(part: Part, workspace: Workspace) -> Found:
    inside = [held for each in (part.all or part.any) for held, _ in _look(each, workspace)]
    if inside:
        return (all if part.all else any)(inside), part.said
    if part.calls:
        held = any(called(workspace, package, *names) for package, names in part.calls.items())
        package, names = next(iter(part.calls.items()))
        return held, part.said or f"{package}: one of {', '.join(names[:4]) or 'anything'}"
    if part.imports:
        return bool(set(part.imports) & workspace.packages), f"one of the packages {', '.join(part.imports)}"
    if part.words:
        return _words(part.words, workspace), f"one of the words {', '.join(part.words)}"
    if part.numbers:
        have = {abs(number) for number in workspace.numbers()}
        absent = [n for n in part.numbers if not any(abs(n - one) <= 1e-9 * max(1.0, n) for one in have)]
        return not absent, part.said or f"numbers {', '.join(f'{n:g}' for n in absent)}"
    if part.parameters:
        said = parameter(workspace, *part.parameters)
        right = said is not None
        if part.at_least is not None:
            right = isinstance(said, int | float) and said >= part.at_least
        if part.near:
            right = isinstance(said, int | float) and any(abs(said - value) < part.within for value in part.near)
        return right, part.said or f"{part.parameters[0]} among the parameters"
    if part.distinct:
        values = label_values(workspace, part.distinct.record, part.distinct.label)
        return len(values) >= part.distinct.at_least, part.said
    if part.follows:
        return _follows(part.follows, workspace), part.said
    return workspace.has_inputs, "files that came with the task"


def _words(wanted: list[str], workspace: Workspace) -> bool:
    """A word of up to three letters has to stand alone; a longer one may be part of another."""
    texts = workspace.words() | {name.lower() for name in workspace.named.methods | workspace.named.callables}
    plain = " ".join(texts).replace("-", "")
    joined, tokens = plain.replace("_", ""), set(re.findall(r"[a-z0-9]+", plain))
    bare = [word.replace("-", "").replace("_", "") for word in wanted]
    return any(word in tokens if len(word) <= 3 else word in joined for word in bare)


def _record(part: Part, quantity: str, labels: Mapping[str, Label], workspace: Workspace) -> Found:
    said = " ".join([quantity, *(str(v[0] if isinstance(v, tuple) else v) for v in labels.values())])
    try:
        found = records(workspace, quantity, **labels)
    except Missing as missing:
        return False, str(missing)
    if not part.axis:
        return bool(found), said
    lengths = [axis.values for each in found for axis in each.axes if axis.name == part.axis and axis.values]
    if part.covers is not None:
        first, last = part.covers
        covered = bool(lengths) and abs(min(lengths[0]) - first) < 1e-6 and max(lengths[0]) >= last - 1e-6
        return covered, f"{part.axis} from {first:g} to {last:g}"
    longest = max(map(len, lengths), default=0)
    return longest >= part.points, f"{quantity} with {part.points} points along {part.axis} (has {longest})"


def _minimum(molecule: str, workspace: Workspace) -> Found:
    try:
        lowest = lowest_frequency(workspace, molecule)
    except Missing as missing:
        return False, str(missing)
    return lowest > IMAGINARY, f"{molecule}: lowest frequency {lowest:.0f} 1/cm"


def lowest_frequency(workspace: Workspace, molecule: str) -> float:
    """The lowest frequency of a molecule, 1/cm."""
    return float(array(one(workspace, "frequencies", molecule=molecule)).min())


def _follows(wanted: Follows, workspace: Workspace) -> bool:
    total = 0.0
    try:
        for name, factor in wanted.sum.items():
            said = parameter(workspace, name)
            total += factor * (said if isinstance(said, int | float) else number(workspace, name))
        return abs(number(workspace, wanted.record) - total) < wanted.within
    except Missing:
        return False
