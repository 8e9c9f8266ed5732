"""The scripts of a solution run once more in a clean folder: numbers that no script makes do not come out again."""

from __future__ import annotations

import hashlib
import json
import math
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path, PurePosixPath
from typing import Any

from labwright.agents.tool_forging.computed_judgements import numbers
from labwright.agents.tool_forging.solution import LARGEST, RESULTS, read_solution
from labwright.tools.errors import InputError, SandboxError
from labwright.tools.forge.tasks.results import Results
from labwright.tools.sandbox.base import Limits
from labwright.tools.workspace.workspace import INPUTS, QUESTION, SMITHY, TOOLS, Workspace

AGAIN = "logs/run_again.txt"  # what came of it, for the evaluator and for people
RELATIVE = 1e-6  # of the largest number of the same unit
ABSOLUTE = 1e-10  # remainders of rounding are no results
MOST_SHOWN = 5  # records that are listed
SAID = 600  # characters of a script's last words


def run_again(workspace: Workspace, scripts: Sequence[str]) -> list[str]:
    """What is wrong with results that their scripts do not give again; what came of it is left in `AGAIN`.

    The copy holds the task, its inputs, the toolset and every Python file, and nothing that a script has to make: no
    results, no figures, no data. All scripts together have the time of one job, and one thread, whose sums come out the
    same. Nothing is run where nothing changed since it last came out.

    Args:
        workspace: of the solution.
        scripts: in the order in which they are run.
    """
    if workspace.sandbox is None:
        return noted(workspace, "Not run again: there is no sandbox.", [])
    most = workspace.job_limits.wall_seconds
    with tempfile.TemporaryDirectory(prefix="labwright-again-") as folder:
        clean = copied(workspace, Path(folder))
        digest, known = _digest(workspace, clean, scripts), workspace.folder.with_name(f"{workspace.folder.name}.again")
        said, _, told = known.read_text(encoding="utf-8").partition("\n") if known.is_file() else ("", "", "")
        if said == digest:
            return noted(workspace, told, [])
        left, began = most, time.perf_counter()
        for script in scripts:
            memory = workspace.job_limits.memory_mb
            limits = Limits(cpu_seconds=left, wall_seconds=left, memory_mb=memory, file_mb=256, threads=1)
            try:
                done = clean.run(["python", script], limits=limits).completed
            except SandboxError as wrong:
                return noted(workspace, f"Not run again: {wrong}", [])
            left = most - (time.perf_counter() - began)
            if done.ending == "timeout" or left <= 0:
                return noted(workspace, f"Not run again: the scripts take more than {most:.0f} s on one thread.", [])
            if done.ending != "ok":
                said = (done.stderr or done.stdout).decode(errors="replace").strip()[-SAID:]
                return noted(workspace, "", [_failed(script, said)])
        if not (found := _compared(workspace, clean, most - left)):
            told = workspace.files.text(AGAIN).strip()
            known.write_text(f"{digest}\n{told}", encoding="utf-8")  # beside the workspace, where no script writes
        return found


def _digest(workspace: Workspace, clean: Workspace, scripts: Sequence[str]) -> str:
    """Of everything that the numbers hang on, and of the numbers."""
    made = hashlib.sha256(repr(list(scripts)).encode())
    for one in clean.files.files():
        made.update(one.path.encode() + b"\0" + clean.files.read_bytes(one.path, one.size + 1))
    if workspace.files.exists(RESULTS):
        made.update(workspace.files.read_bytes(RESULTS, LARGEST))
    return made.hexdigest()


def _failed(script: str, said: str) -> str:
    return (
        f"{script} was run again in a clean folder (task, inputs, tools and Python files only; {RESULTS}, figures and"
        f" data are the scripts' to make, in the order of `scripts`) and ended with an error: {said}"
    )


def copied(workspace: Workspace, folder: Path) -> Workspace:
    """Task, inputs, tools and Python files in another folder."""
    for one in workspace.files.files():
        top = PurePosixPath(one.path).parts[0]
        if one.path == QUESTION or top in (INPUTS, TOOLS) or (one.path.endswith(".py") and top != SMITHY):
            target = folder / one.path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(workspace.files.read_bytes(one.path, one.size + 1))
    return Workspace(folder, workspace.sandbox)


def _compared(workspace: Workspace, clean: Workspace, seconds: float) -> list[str]:
    try:
        have, made = read_solution(workspace), read_solution(clean)
    except InputError as wrong:
        return noted(workspace, "", [f"The scripts were run again in a clean folder and left no results: {wrong}"])
    strange = list(differences(have, made))
    if not strange:
        told = f"All {len(have.records)} records came out again in a clean folder, in {seconds:.1f} s."
        return noted(workspace, told, [])
    more = f", and {len(strange) - MOST_SHOWN} more" if len(strange) > MOST_SHOWN else ""
    return noted(
        workspace,
        "",
        [
            f"{RESULTS} is not what the scripts make. Run again in a clean folder: {'; '.join(strange[:MOST_SHOWN])}"
            f"{more}. Let a script compute and write every number, seed what is drawn, record no running times."
        ],
    )


def differences(have: Results, made: Results) -> Iterator[str]:
    """Where records that were handed in differ from those that came out again, in words."""
    again: dict[str, list[Any]] = {}
    largest = _largest([*have.records, *made.records])
    for record in made.records:
        again.setdefault(_key(record), []).append(record)
    for record in have.records:
        name = f"`{record.quantity}`" + (f" {record.labels}" if record.labels else "")
        rest = again.get(_key(record), [])
        if not rest:
            yield f"{name} did not come out at all"
            continue
        other = rest.pop(0)
        floor = max(record.uncertainty or 0.0, RELATIVE * largest.get(record.unit, 0.0))
        axes = zip(_axes(record), _axes(other), strict=False)
        steady = len(record.axes) == len(other.axes) and all(same(mine, its) for mine, its in axes)
        if not steady or not same(record.value, other.value, floor):
            yield f"{name} is {_short(record.value)} in the file and {_short(other.value)} again"


def _largest(records: Sequence[Any]) -> dict[str, float]:
    """Unit -> largest number recorded in it: what is rounding beside that is no result."""
    found: dict[str, float] = {}
    for one in records:
        found[one.unit] = max([found.get(one.unit, 0.0), *_sizes(one.value)])
    return found


def same(mine: Any, its: Any, floor: float = 0.0) -> bool:
    """Whether two JSON values agree: numbers within `floor` or `RELATIVE` of the largest of them, all else exactly."""
    return _agree(mine, its, max(ABSOLUTE, floor, RELATIVE * max(_sizes([mine, its]), default=0.0)))


def _agree(mine: Any, its: Any, within: float) -> bool:
    if _is_number(mine) and _is_number(its):
        return bool(abs(mine - its) <= within) or (math.isnan(mine) and math.isnan(its))
    if isinstance(mine, list) and isinstance(its, list):
        return len(mine) == len(its) and all(_agree(one, two, within) for one, two in zip(mine, its, strict=True))
    if isinstance(mine, dict) and isinstance(its, dict):
        return mine.keys() == its.keys() and all(_agree(mine[name], its[name], within) for name in mine)
    return bool(mine == its)


def _sizes(value: Any) -> list[float]:
    return [abs(one) for one in numbers(value) if math.isfinite(one)]


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _axes(record: Any) -> list[list[float]]:
    return [axis.values for axis in record.axes]


def _key(record: Any) -> str:
    return json.dumps([record.quantity, record.labels], sort_keys=True)


def _short(value: Any) -> str:
    said = json.dumps(value)
    return said if len(said) <= 60 else f"{said[:60]}..."


def noted(workspace: Workspace, told: str, findings: list[str]) -> list[str]:
    """Leave what came of it in `AGAIN`; the findings are given back."""
    workspace.files.write(AGAIN, (told or " ".join(findings)) + "\n")
    return findings
