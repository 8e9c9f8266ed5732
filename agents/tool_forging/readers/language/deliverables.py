"""What a task wants in ``results.json``: quantities with labels and axes, as its section of that name lists them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from labwright.agents.tool_forging.readers.base import Span

_SECTION = re.compile(r"^#+[^\n]*results\.json[^\n]*\n", re.M | re.I)
_ITEM = re.compile(r"^\s*[-*+]\s+", re.M)
_TICKED = re.compile(r"`([^`\n]+)`")
_LABEL = re.compile(
    r"`(?P<name>[A-Za-z_]\w*)`\s*(?:=\s*`(?P<value>[^`]+)`|\((?P<list>(?:[^()`]|`[^`]*`|\([^()]*\))*)\))?"
)


@dataclass(frozen=True, slots=True)
class LabelValue:
    """A value that a label takes, and the words beside it, such as ``for J = 10``.

    Attributes:
        ticked: whether it stands in backticks, as a text does; a bare number is one.
    """

    value: str
    note: str = ""
    ticked: bool = True

    @property
    def typed(self) -> str | int | float:
        """A bare number as a number, everything else as text."""
        if self.ticked or not re.fullmatch(r"[+-]?\d+(?:\.\d*)?(?:e[+-]?\d+)?", self.value):
            return self.value
        return int(self.value) if re.fullmatch(r"[+-]?\d+", self.value) else float(self.value)


@dataclass(frozen=True, slots=True)
class Deliverable:
    """One item of the section.

    Attributes:
        quantities: names of the records.
        labels: label -> the values named; empty where only the label is.
        axes: names, in order.
        text: the item as it stands.
        span: of the original text.
    """

    quantities: tuple[str, ...]
    text: str
    span: Span
    labels: dict[str, tuple[LabelValue, ...]] = field(default_factory=dict)
    axes: tuple[str, ...] = ()


def deliverables(text: str) -> list[Deliverable]:
    """The items of the section, from the original text; none if there is no such section."""
    head = _SECTION.search(text)
    if head is None:
        return []
    end = re.compile(r"^#+\s", re.M).search(text, head.end())
    stop = end.start() if end else len(text)
    starts = list(_ITEM.finditer(text, head.end(), stop))
    ends = [match.start() for match in starts[1:]] + [stop]
    return [_item(text[one.end() : last].strip(), (one.start(), last)) for one, last in zip(starts, ends, strict=True)]


def section_span(text: str) -> Span | None:
    """Where the section stands, its heading included."""
    head = _SECTION.search(text)
    if head is None:
        return None
    end = re.compile(r"^#+\s", re.M).search(text, head.end())
    return head.start(), end.start() if end else len(text)


def _item(text: str, span: Span) -> Deliverable:
    said = re.search(r"(?<!`)\blabels?\b(?!`)", text)
    axis = re.search(r"(?<!`)\bax(?:is|es)\b(?!`)", text)
    colon = text.find(":")
    labels: dict[str, tuple[LabelValue, ...]] = {}
    if said:
        stop = axis.start() if axis and axis.start() > said.end() else _end_of_labels(text, said.end())
        labels = _labels(text[said.end() : stop])
    axes = tuple(_TICKED.findall(_no_brackets(re.split(r"[:;]|\.\s", text[axis.end() :])[0]))) if axis else ()
    if said and said.start() < 8 and colon > 0:  # "with label `molecule`: `energy`, ..."
        return Deliverable(
            tuple(_TICKED.findall(_no_brackets(text[text.rfind(":", 0, None) + 1 :]))), text, span, labels, axes
        )
    head = text[: min([one.start() for one in (said, axis) if one] + [colon if colon > 0 else len(text)])]
    return Deliverable(tuple(_TICKED.findall(_no_brackets(head))), text, span, labels, axes)


def _end_of_labels(text: str, start: int) -> int:
    depth = 0
    for place in range(start, len(text)):
        depth += {"(": 1, ")": -1}.get(text[place], 0)
        if (depth == 0 and text[place] in ":;") or (
            text[place] == "." and text[place + 1 : place + 2] in ("", " ", "\n")
        ):
            return place
    return len(text)


def _labels(text: str) -> dict[str, tuple[LabelValue, ...]]:
    found: dict[str, tuple[LabelValue, ...]] = {}
    for match in _LABEL.finditer(text):
        if match["value"] is not None:
            found[match["name"]] = (LabelValue(match["value"]),)
        elif match["list"]:
            ticked = re.findall(r"`([^`]+)`([^`,]*)", match["list"])
            plain = [part.strip() for part in match["list"].split(",")]
            bare = [LabelValue(part, "", False) for part in plain if re.fullmatch(r"[-\w.+]+", part) and len(plain) > 1]
            found[match["name"]] = tuple(LabelValue(value, note.strip()) for value, note in ticked) or tuple(bare)
        else:
            found[match["name"]] = ()
    return found


def _no_brackets(text: str) -> str:
    return re.sub(r"\([^()]*\)", "", text)


def wanted(items: Sequence[Deliverable], quantity: str) -> list[Deliverable]:
    """The items that ask for a quantity."""
    return [one for one in items if quantity in one.quantities]


def label_values(items: Sequence[Deliverable], label: str) -> list[LabelValue]:
    """Every value that a label takes in any item, once."""
    return list(dict.fromkeys(value for one in items for value in one.labels.get(label, ())))
