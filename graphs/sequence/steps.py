"""The steps of a sequence as documents: read, checked as far as that is possible beforehand, filled with results."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from labwright.tools.errors import InputError, RecordError
from labwright.tools.runs.listing import read_result
from labwright.tools.runs.run import open_run
from labwright.tools.specifications.compiled_plan_files import read_text
from labwright.tools.specifications.kinds import Written, is_procedure, procedure_in, read_written, typed
from labwright.tools.specifications.sequence import (
    RUN,
    SYSTEM,
    Reference,
    SequenceSpec,
    reached,
    references,
    substituted,
)
from labwright.tools.specifications.yaml_files import read_document, to_yaml, validated

RUN_ID = "run_id"  # a path that leads to the id of the run itself


def read_sequence(text: str) -> SequenceSpec:
    """The sequence that a document is.

    Raises:
        InputError: it is none.
    """
    document = read_document(text)
    return validated(SequenceSpec, document.data, lines=document.lines)


def check_steps(spec: SequenceSpec, folder: Path, root: Path) -> None:
    """Read every step, check those that use no result, and that what the others use can be there.

    Raises:
        InputError: a step cannot be read, is wrong, or uses what no earlier step or run has.
    """
    for number, label in enumerate(spec.labels):
        earlier = spec.labels[:number]

        def known(reference: Reference, label: str = label, earlier: list[str] = earlier) -> Any:
            if reference.source.startswith(RUN):
                return value_of_run(reference, root)
            if reference.source not in earlier:
                before = ", ".join(earlier) or "none"
                raise InputError(f"{reference.text!r} is no result of an earlier step. Earlier: {before}.")
            return None

        try:
            step_of(spec, number, folder, known, whole=False)
        except InputError as wrong:
            raise InputError(f"Step {label}: {wrong}") from wrong


def step_of(
    spec: SequenceSpec, number: int, folder: Path, value: Callable[[Reference], Any], *, whole: bool = True
) -> Written | None:
    """The specification of a step, with a value in place of each reference; not `whole`: None if it has any to a step.

    Raises:
        InputError: it cannot be read, a reference leads nowhere, or a field is wrong.
    """
    step = spec.steps[number]
    name, place = step.file or spec.labels[number], folder
    text = to_yaml(step.spec) if step.spec is not None else ""
    if step.file:
        path = folder / Path(step.file).expanduser()
        text, place = read_text(path), path.parent
        if is_procedure(text):
            return procedure_in(text, name, place)
    data = read_document(text, name).data
    if data.get("system") == SYSTEM:
        raise InputError("A sequence cannot hold another one. Write its steps here.")
    found = list(references(data, spec.labels))
    filled = substituted(data, found, value)
    if not whole and any(not each.source.startswith(RUN) for each in found):
        return None
    if not found:
        return read_written(text, name, place)
    return Written(to_yaml(filled), typed(filled, name), name, place)


def value_of_run(reference: Reference, root: Path, run_id: str = "") -> Any:
    """What a reference means in the result of a run.

    Raises:
        InputError: there is no such run, it has no result, or the path leads nowhere in it.
    """
    try:
        run = open_run(root, run_id or reference.source.removeprefix(RUN))
    except RecordError as error:
        raise InputError(f"{reference.text!r}: {error}") from error
    if reference.inner == RUN_ID:
        return run.run_id
    result = (read_result(run) or {}).get("result", {})
    if not result:
        raise InputError(f"{reference.text!r}: run {run.run_id} has no result. `labwright runs show` tells why.")
    try:
        return reached(result, reference.inner, reference.times)
    except InputError as error:
        raise InputError(f"{reference.text!r} of run {run.run_id}: {error}") from error
