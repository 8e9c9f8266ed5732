"""The kinds of specifications there are, and which of them a document is."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path as File
from typing import Any

from pydantic import BaseModel

from labwright.tools.errors import InputError
from labwright.tools.specifications.base import VERSION, Path, Problem, Specification, SpecificationError, migrated
from labwright.tools.specifications.patches import patched
from labwright.tools.specifications.yaml_files import is_document, read_document, split_front_matter, to_yaml, validated

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
SPEC = "spec.yaml"  # in the folder of every run


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


def from_choices(kind: type[Specification], choices: BaseModel, **own: Any) -> dict[str, Any]:
    """The plain data of a `kind`: `own` fields, and those of a run's choices that are not at their default."""
    plain = choices.model_dump(mode="json")
    fields = {name: field.get_default(call_default_factory=True) for name, field in kind.model_fields.items()}
    chosen = {name: plain[name] for name, default in fields.items() if name in plain and plain[name] != default}
    return {"spec": VERSION, "system": fields["system"], **own, **chosen}


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
        data = migrated(data)
        return validated(kind_of(system).kind_for(data), data, name, lines)
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
        try:
            data = changed(data, patches)
        except SpecificationError as wrong:
            raise SpecificationError(wrong.problems, name) from None
        text = to_yaml(data) if not document.prose else f"---\n{to_yaml(data)}---\n{split_front_matter(text)[1]}"
    return Written(text, typed(data, name, lines), name, folder)


def changed(data: dict[str, Any], patches: Sequence[tuple[Path, Any]]) -> dict[str, Any]:
    """The plain data of a specification with the patches applied.

    Raises:
        SpecificationError: a path leads nowhere, or to several places.
    """
    system = data.get("system")
    fields = kind_of(system).kind_for(data).model_fields if system in SHORT else {}
    known = [field.alias or each for each, field in fields.items()]
    return patched(written_out(data, patches), list(patches), known)


def written_out(data: dict[str, Any], patches: Sequence[tuple[Path, Any]]) -> dict[str, Any]:
    """A plan with those steps of the short form written out that patches reach into."""
    steps = data.get("steps")
    reached = {at for path, _ in patches if len(path) > 2 and path[0] == "steps" and isinstance(at := path[1], int)}
    if not isinstance(steps, list) or not any(isinstance(steps[at], str) for at in reached if at in range(len(steps))):
        return data
    from labwright.tools.specifications import short_form_parser
    from labwright.tools.specifications.catalogue import library

    def whole(at: int, step: Any) -> Any:
        if at not in reached or not isinstance(step, str):
            return step
        read = short_form_parser.read(step, library()).steps
        return read[0] if len(read) == 1 else step

    return {**data, "steps": [whole(at, step) for at, step in enumerate(steps)]}


def is_procedure(text: str) -> bool:
    """Whether a document is a Markdown procedure rather than a specification: it names no system."""
    front, prose = split_front_matter(text)
    return not is_document(text) or (bool(prose) and not any(line.startswith("system:") for line in front.splitlines()))


def procedure_in(text: str, name: str, folder: File, patches: Sequence[tuple[Path, Any]] = ()) -> Written:
    """A Markdown procedure, which a calibration reads itself.

    Raises:
        InputError: it is none, or is to be patched: it has no fields.
    """
    if "\n## Steps" not in text:
        raise InputError(f"{name}, line 1: system: It is missing. Write one of: {', '.join(SHORT)}.")
    if patches:
        raise InputError(f"{name} is prose, which --with cannot change. Compile it first: labwright compile {name}")
    from labwright.tools.specifications.calibration import CalibrationPlan

    return Written(text, CalibrationPlan.model_construct(), name, folder)
