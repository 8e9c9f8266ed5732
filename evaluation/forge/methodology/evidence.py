"""What was done, looked up in a workspace: packages, callables, numbers and words that were used."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from labwright.evaluation.forge.criteria import Criterion, Missing, Seen, check, share
from labwright.evaluation.forge.records import Label, records, same
from labwright.evaluation.forge.workspace import Workspace

Part = tuple[bool, str]


@dataclass(frozen=True, slots=True)
class Stage:
    """A step of the expected workflow.

    Attributes:
        weight: in per cent.
        demand: what the step is.
        parts: looks at a workspace; the score is the share of the parts that hold.
    """

    weight: float
    demand: str
    parts: Callable[[Workspace], Sequence[Part]]


def staged(workspace: Workspace, stages: Sequence[Stage], package: str = "") -> list[Criterion]:
    """The criteria of a task.

    Args:
        package: one that the task names for good; without it no stage counts.
    """
    criteria = []
    for number, stage in enumerate(stages, 1):

        def look(stage: Stage = stage) -> Seen:
            if package and not called(workspace, package):
                return 0.0, f"{package} was not used"
            return share(stage.parts(workspace))

        criteria.append(check(f"M{number}", stage.demand, look, stage.weight))
    return criteria


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


def part_called(workspace: Workspace, package: str, *names: str) -> Part:
    """`called` as a part."""
    return called(workspace, package, *names), f"{package}: one of {', '.join(names[:4]) or 'anything'}"


def part_numbers(workspace: Workspace, *wanted: float) -> Part:
    """Whether all of these numbers were used, whatever their sign."""
    have = {abs(number) for number in workspace.numbers()}
    absent = [n for n in wanted if not any(abs(n - one) <= 1e-9 * max(1.0, n) for one in have)]
    return not absent, f"numbers {', '.join(f'{n:g}' for n in absent)}"


def part_words(workspace: Workspace, *wanted: str) -> Part:
    """Whether one of these words was used: in parameters, inputs of tools, scripts, or as a name that was called.

    A word of up to three letters has to stand alone; a longer one may be part of another.
    """
    texts = workspace.words() | {name.lower() for name in workspace.named.methods}
    texts |= {name.lower() for name in workspace.named.callables}
    plain = " ".join(texts).replace("-", "")
    joined, tokens = plain.replace("_", ""), set(re.findall(r"[a-z0-9]+", plain))
    bare = [word.replace("-", "").replace("_", "") for word in wanted]
    held = any(word in tokens if len(word) <= 3 else word in joined for word in bare)
    return held, f"one of the words {', '.join(wanted)}"


def part_record(workspace: Workspace, quantity: str, /, **labels: Label) -> Part:
    """Whether there is such a record."""
    said = ", ".join(str(value[0] if isinstance(value, tuple) else value) for value in labels.values())
    try:
        found = records(workspace, quantity, **labels)
    except Missing as missing:
        return False, str(missing)
    return bool(found), f"{quantity} {said}".strip()


def part_axis(workspace: Workspace, quantity: str, name: str, least: int, /, **labels: Label) -> Part:
    """Whether a record has an axis of at least so many points."""
    try:
        found = records(workspace, quantity, **labels)
    except Missing as missing:
        return False, str(missing)
    longest = max((len(axis.values) for one in found for axis in one.axes if axis.name == name), default=0)
    return longest >= least, f"{quantity} with {least} points along {name} (has {longest})"


def label_values(workspace: Workspace, quantity: str, label: str) -> list[str]:
    """The values of a label among the records of a quantity."""
    found: list[str] = []
    for one in workspace.results.records:
        if one.quantity == quantity and label in one.labels:
            value = str(one.labels[label])
            if not any(same(value, other) for other in found):
                found.append(value)
    return found
