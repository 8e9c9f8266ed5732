"""What a run left in its workspace, as the graders see it: results, plotted data, calls, code. Nothing is executed."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from labwright.evaluation.forge.names_used_in_code import Named, read_code
from labwright.tools.errors import InputError
from labwright.tools.forge.tasks.results import Results, read_results


@dataclass(frozen=True, slots=True)
class Workspace:
    """A finished workspace.

    Attributes:
        problem: why results.json cannot be read; empty if it can.
        figures: figure below ``img/`` -> the data it shows; only where both files are there.
        calls: calls of tools that returned, from ``logs/calls.jsonl``.
        packages: third-party packages that were imported.
        named: what the scripts and the tools that they called name.
        has_inputs: whether files came with the task.
    """

    results: Results
    problem: str = ""
    figures: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    calls: Sequence[Mapping[str, Any]] = ()
    packages: frozenset[str] = frozenset()
    named: Named = field(default_factory=Named)
    has_inputs: bool = False

    def numbers(self) -> set[float]:
        """Numbers that were used: in parameters, in inputs of tools, in scripts."""
        plain = (one for one in self._scalars() if isinstance(one, int | float) and not isinstance(one, bool))
        return self.named.numbers | set(map(float, plain))

    def words(self) -> set[str]:
        """Words that were used, in the same places, in small letters."""
        return self.named.words | {one.lower() for one in self._scalars() if isinstance(one, str)}

    def _scalars(self) -> Iterator[Any]:
        return _scalars([self.results.parameters, [call.get("input", {}) for call in self.calls]])


def _scalars(value: Any) -> Iterator[Any]:
    if isinstance(value, Mapping):
        value = list(value.values())
    if isinstance(value, list | tuple):
        for one in value:
            yield from _scalars(one)
    else:
        yield value


def read_workspace(folder: Path) -> Workspace:
    """Read `folder`; what is missing or broken is left empty, and results say why."""
    results, problem = Results(), ""
    try:
        results = read_results(folder / "results.json")
    except InputError as wrong:
        problem = str(wrong)
    calls = [
        line for line in _lines(folder / "logs" / "calls.jsonl") if line.get("outcome", "ok") == "ok" and "tool" in line
    ]
    imported = _lines(folder / "logs" / "imports.jsonl")
    named = _code(folder, {str(call["tool"]) for call in calls})
    packages = {package for line in imported for package in line.get("packages", {})}
    if not imported:  # nothing was recorded, as in a workspace without tools: the code itself says it
        packages = {module.partition(".")[0] for module in named.modules}
    return Workspace(
        results=results,
        problem=problem,
        figures=_figures(folder),
        calls=calls,
        packages=frozenset(packages),
        named=named,
        has_inputs=any((folder / "inputs").glob("*")),
    )


def _lines(path: Path) -> list[dict[str, Any]]:
    """The objects of a JSON-lines file; a line that a kill cut off is left out."""
    found = []
    for line in path.read_text(encoding="utf-8", errors="replace").splitlines() if path.is_file() else []:
        try:
            value = json.loads(line)
        except json.JSONDecodeError:
            continue
        if isinstance(value, dict):
            found.append(value)
    return found


def _figures(folder: Path) -> dict[str, Mapping[str, Any]]:
    found: dict[str, Mapping[str, Any]] = {}
    for path in sorted((folder / "img").rglob("*.json")):
        if not path.with_suffix(".png").is_file():
            continue
        try:
            value = json.loads(path.read_text(encoding="utf-8"))
        except (json.JSONDecodeError, UnicodeDecodeError):
            continue
        if isinstance(value, dict):
            found[path.relative_to(folder).with_suffix(".png").as_posix()] = value
    return found


def _code(folder: Path, tools: set[str]) -> Named:
    """What the scripts name, and the code of the tools that were called; those tools' tools too."""
    named = Named()
    for path in sorted(folder.glob("*.py")):
        named.add(read_code(path.read_text(encoding="utf-8", errors="replace")))
    beside = {module.partition(".")[0] for module in named.modules} - {"tools"}  # packages that came with the scripts
    for path in sorted(path for name in beside for path in (folder / name).glob("*.py")):
        found = read_code(path.read_text(encoding="utf-8", errors="replace"))
        named.add(Named(callables=found.callables, methods=found.methods, modules=found.modules))
    modules = {path.stem: path for path in (folder / "tools").rglob("*.py") if path.stem != "__init__"}
    left, seen = set(tools), set[str]()
    while left:
        name = left.pop()
        seen.add(name)
        if name not in modules:
            continue
        found = read_code(modules[name].read_text(encoding="utf-8", errors="replace"))
        # a tool's numbers and words are no task's: only what it names counts
        named.add(Named(callables=found.callables, methods=found.methods, modules=found.modules))
        within = {module.rpartition(".")[2] for module in found.modules if module.startswith("tools.")}
        left |= within - seen
    return named
