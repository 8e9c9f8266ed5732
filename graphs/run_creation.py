"""The beginning of a run of any system: choices made whole, and a folder."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeVar

from langgraph.runtime import get_runtime
from pydantic import BaseModel, ValidationError

from labwright.tools.errors import InputError
from labwright.tools.runs.run import create_run, runs_root

C = TypeVar("C", bound=BaseModel)


def opened(state: Mapping[str, Any], system: str, kind: type[BaseModel]) -> dict[str, Any]:
    """`run_dir`, `choices` and `branch` of a run of `system`; a graph started from Studio brings none of them.

    What the context holds (Studio's form of an assistant) is the beginning; choices in the input go before it.

    Args:
        state: what the graph was started with.
        system: name of the graph.
        kind: type of the choices; has a `seed`.

    Raises:
        InputError: a choice is unknown or out of range.
    """
    choices: Any = placed(chosen(kind, {**_context(), **(state.get("choices") or {})}))
    plain = choices.model_dump(mode="json")
    run_dir = state.get("run_dir") or ""
    if not run_dir:
        run = create_run(runs_root(), system, state["request"], plain, plain["seed"])
        run_dir = str(run.folder.absolute())
    return {"run_dir": run_dir, "choices": plain, "branch": state.get("branch") or Path(run_dir).name}


def placed(choices: C) -> C:
    """`choices` with a whole path for the folder that others count from: a worker may run in another one."""
    if not (hasattr(choices, "folder") and getattr(choices, "words", True)):
        return choices
    return choices.model_copy(update={"folder": str(Path(choices.folder).expanduser().absolute())})


def chosen(kind: type[C], named: Mapping[str, Any]) -> C:
    """The choices of a run.

    Raises:
        InputError: one is unknown or out of range; the message names it, and the nearest one that exists.
    """
    try:
        return kind.model_validate(dict(named))
    except ValidationError as wrong:
        first = wrong.errors()[0]
        name, said = ".".join(map(str, first["loc"])), f"{first['msg']}."
        if first["type"] == "extra_forbidden":
            near = difflib.get_close_matches(name, kind.model_fields, 1)
            said = f"There is no such choice. {f'Did you mean {near[0]!r}? ' if near else ''}There are: "
            said += f"{', '.join(sorted(kind.model_fields))}."
        raise InputError(f"Choice {name!r}: {said}") from wrong


def _context() -> dict[str, Any]:
    """What the run's context says; empty outside of a graph. Only the first node asks: later ones have the state."""
    try:
        context: Any = get_runtime().context
    except RuntimeError:
        return {}
    if isinstance(context, BaseModel):
        return context.model_dump(exclude_unset=True)
    return {name: value for name, value in (context or {}).items() if value is not None}
