"""The kinds of specifications there are, and which of them a document is."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path as File
from typing import Any

from labwright.tools.errors import InputError
from labwright.tools.specifications.base import Path, Problem, Specification, SpecificationError, migrated
from labwright.tools.specifications.patches import patched
from labwright.tools.specifications.reading import read_document, split_front_matter, to_yaml, validated

# what people call a system -> (its name, module and class of its specification)
_KINDS = {
    "calibration": ("lab_calibration", "calibration", "CalibrationPlan"),
    "search": ("feature_map_search", "search", "SearchSpec"),
    "task": ("tool_forging", "task", "TaskSpec"),
    "protocol": ("protocol_design", "protocol", "ProtocolSpec"),
    "sequence": ("sequence", "sequence", "SequenceSpec"),
}
SHORT = {system: short for short, (system, _, _) in _KINDS.items()}
SYSTEMS = {short: system for short, (system, _, _) in _KINDS.items()}
SUFFIXES = (".yaml", ".yml", ".md")


@dataclass(frozen=True, slots=True)
class Written:
    """A specification as it was written.

    Attributes:
        text: the document, patched if it was.
        spec: typed.
        name: of its file.
        folder: that the paths in it count from.
    """

    text: str
    spec: Specification
    name: str
    folder: File


def system_named(name: str) -> str:
    """The system of a name or a short name.

    Raises:
        InputError: there is none.
    """
    if name not in SYSTEMS and name not in SHORT:
        raise InputError(f"There is no system {name!r}. There are: {', '.join(SYSTEMS)}.")
    return SYSTEMS.get(name, name)


def kind_of(system: str) -> type[Specification]:
    """The type of that system's specification."""
    _, module, kind = _KINDS[SHORT[system]]
    found: type[Specification] = getattr(importlib.import_module(f"labwright.tools.specifications.{module}"), kind)
    return found


def typed(data: dict[str, Any], name: str = "", lines: dict[Path, int] | None = None) -> Specification:
    """Plain data as the specification that its `system` says.

    Raises:
        SpecificationError: no system, an unknown one, or a field is wrong.
    """
    system = data.get("system")
    if system not in SHORT:
        fix = f"Write one of: {', '.join(SHORT)}."
        why = "It is missing." if system is None else f"There is no system {system!r}."
        raise SpecificationError([Problem(("system",), why, fix)], name, lines)
    try:
        return validated(kind_of(system), migrated(data), name, lines)
    except SpecificationError as wrong:
        raise SpecificationError(wrong.problems, name, lines) from None


def read_written(text: str, name: str, folder: File, patches: Sequence[tuple[Path, Any]] = ()) -> Written:
    """The specification of a YAML document, or of a Markdown one with front matter; `patches` change it first.

    Raises:
        SpecificationError: it cannot be read, or a field is wrong.
    """
    document = read_document(text, name)
    data, lines = document.data, document.lines
    if patches:
        system = data.get("system")
        known = [field.alias or each for each, field in kind_of(system).model_fields.items()] if system in SHORT else []
        data = patched(data, list(patches), known)
        text = to_yaml(data) if not document.prose else f"---\n{to_yaml(data)}---\n{split_front_matter(text)[1]}"
    return Written(text, typed(data, name, lines), name, folder)
