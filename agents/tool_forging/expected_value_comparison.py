"""What an evaluator expects, computed by a script of its own in the sandbox, against what the solution recorded."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from pydantic import BaseModel, Field, ValidationError

from labwright.agents.tool_forging.script_rerun import copied
from labwright.agents.tool_forging.solution import read_solution
from labwright.tools.errors import InputError, SandboxError
from labwright.tools.forge.tasks.results import Results
from labwright.tools.sandbox.base import Limits
from labwright.tools.workspace.workspace import Workspace

SCRIPT, LEFT = "evaluation_check.py", "expected.json"
SECONDS = 120.0
_RUN = f"import json, evaluation_check as c; json.dump(c.expected(), open({LEFT!r}, 'w'), allow_nan=False)"
SAID = 800  # characters of a crash


class Expected(BaseModel, extra="forbid"):
    """A number that a record must hold."""

    quantity: str
    labels: dict[str, str | float | int | bool] = Field(default_factory=dict)
    at: list[int] = Field(default_factory=list)  # position along each axis
    value: float
    within: float = Field(gt=0)  # in the record's unit
    why: str = Field(min_length=10)


class Compared(BaseModel):
    """How the comparison ended: `wrong` says why it proves nothing; empty if every number was compared."""

    wrong: str = ""
    held: list[str] = []
    missed: list[str] = []


def compared(workspace: Workspace, check: str) -> Compared:
    """Run the check where it sees the solution and changes nothing; hold its numbers against ``results.json``."""
    with tempfile.TemporaryDirectory(prefix="labwright-check-") as folder:
        scratch = copied(workspace, Path(folder))  # without results: what is expected is computed, not read
        scratch.files.write(SCRIPT, check)
        limits = Limits(cpu_seconds=SECONDS, wall_seconds=SECONDS, memory_mb=workspace.job_limits.memory_mb, file_mb=64)
        try:
            done = scratch.run(["python", "-c", _RUN], limits=limits).completed
            if done.ending != "ok":
                said = (done.stderr or done.stdout).decode(errors="replace").strip()[-SAID:]
                return Compared(wrong=f"`check` did not end well ({done.ending}), so it proves nothing: {said}")
            wanted = [Expected.model_validate(one) for one in json.loads(scratch.files.text(LEFT))]
            results = read_solution(workspace)
        except (InputError, SandboxError, ValueError, TypeError) as wrong:
            first = wrong.errors()[0] if isinstance(wrong, ValidationError) else None
            said = f"{'.'.join(map(str, first['loc']))}: {first['msg']}" if first else str(wrong)
            return Compared(wrong=f"`check` proves nothing: {said}")
    if not wanted:
        return Compared(wrong="`expected()` gave no number, so `check` proves nothing.")
    found = Compared()
    for one in wanted:
        try:
            have = _value(results, one)
        except InputError as absent:
            return Compared(wrong=f"`check` proves nothing: {absent}")
        line = f"`{one.quantity}` {one.labels or ''} {one.at or ''} is {have:.10g}, expected {one.value:.10g}"
        line = f"{' '.join(line.split())} within {one.within:.3g}: {one.why}"
        (found.held if abs(have - one.value) <= one.within else found.missed).append(line)
    return found


def _value(results: Results, wanted: Expected) -> float:
    """The number in the one record that is meant.

    Raises:
        InputError: there is no such record, or no number at that place.
    """
    value: Any = results.one(wanted.quantity, **wanted.labels).value
    for position in wanted.at:
        if not isinstance(value, list) or not -len(value) <= position < len(value):
            raise InputError(f"`{wanted.quantity}` has nothing at {wanted.at}.")
        value = value[position]
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise InputError(f"`{wanted.quantity}` at {wanted.at} is no number; `at` needs one position for each axis.")
    return float(value)


def outline(results: Results, most: int = 12_000) -> str:
    """What was recorded, one record a line: long arrays by their shape, ends and range."""
    lines = []
    for one in results.records:
        axes = ", ".join(f"{axis.name} {len(axis.values)} ({_ends(axis.values)}) {axis.unit}" for axis in one.axes)
        error = f" +- {one.uncertainty:.3g}" if one.uncertainty is not None else ""
        lines.append(f"{one.quantity} {one.labels or ''} [{axes}] {_ends(one.value)}{error} {one.unit}".strip())
    said = f"parameters: {json.dumps(results.parameters)[: most // 4]}\n" + "\n".join(lines)
    return said if len(said) <= most else f"{said[:most]}\n[... {len(lines)} records in all]"


def _ends(value: Any) -> str:
    try:
        numbers = np.asarray(value, dtype=float)
    except (TypeError, ValueError):
        return json.dumps(value)[:200]
    if numbers.size <= 12:
        return json.dumps(value)
    flat = numbers.ravel()
    ends = f"{flat[0]:.8g}, {flat[1]:.8g}, ..., {flat[-1]:.8g}"
    return f"shape {list(numbers.shape)}: {ends}; from {flat.min():.8g} to {flat.max():.8g}"
