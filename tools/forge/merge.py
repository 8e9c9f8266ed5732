"""Tools that do the same are merged: found by likeness, replaced only when the old tools' own tests pass on the new."""

from __future__ import annotations

import ast
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, Protocol

import numpy as np

from labwright.tools.durable import write_atomic
from labwright.tools.errors import InputError
from labwright.tools.forge.contract import Candidate
from labwright.tools.forge.findings import GateFinding, GateReport
from labwright.tools.forge.gate.form import same_type
from labwright.tools.forge.listing import searched_text
from labwright.tools.forge.reading import camel, read_tool, tools_imported
from labwright.tools.forge.shelf import HIDDEN, Tool
from labwright.tools.forge.toolset import Toolset, retiring
from labwright.tools.knowledge.embedding import HashingEmbedder

ALIKE = 0.72  # inner product of two descriptions from which two tools may do the same
TRIES = 2


class Gate(Protocol):
    """What a merger asks of the gate; `labwright.tools.forge.gate.GateBench` is one."""

    def check(self, name: str, candidate: Candidate) -> list[GateFinding]: ...

    def report(self, candidate: Candidate) -> GateReport: ...

    def beside(self, tools: Sequence[Tool]) -> Gate:
        """The same gate with these tools to import."""
        ...


def clusters(toolset: Toolset, alike: float = ALIKE) -> list[list[str]]:
    """Groups of tools whose descriptions and signatures are alike, largest first; tools without a like are left out."""
    tools = toolset.tools()
    if len(tools) < 2:
        return []
    vectors = HashingEmbedder().matrix(searched_text(one) for one in tools)
    near = vectors @ vectors.T >= alike
    found: list[list[str]] = []
    left = set(range(len(tools)))
    while left:
        group, waiting = set[int](), [min(left)]
        while waiting:
            i = waiting.pop()
            if i not in group:
                group.add(i)
                waiting += [int(j) for j in np.flatnonzero(near[i]) if int(j) not in group]
        left -= group
        if len(group) > 1:
            found.append(sorted(tools[i].name for i in group))
    return sorted(found, key=lambda names: (-len(names), names))


@dataclass(frozen=True, slots=True)
class Adapter:
    """How an old tool is answered by the new one.

    Attributes:
        inputs: field of the old input -> field of the new one.
        constants: field of the new input -> JSON value that the old tool had built in.
        outputs: field of the old output -> field of the new one.
    """

    inputs: Mapping[str, str]
    outputs: Mapping[str, str]
    constants: Mapping[str, Any] = field(default_factory=dict)


def contained(small: Tool, large: Tool) -> Adapter | None:
    """The adapter by which `large` answers for `small`, if that needs no thought: all of its fields are there, with
    their types, and what `large` asks beyond them has defaults."""
    theirs, ours = large.contract, small.contract
    for wanted, have in ((ours.inputs, theirs.inputs), (ours.outputs, theirs.outputs)):
        types = {one.name: (one.type, one.unit) for one in have}
        for one in wanted:
            if one.name not in types or types[one.name][1] != one.unit or not same_type(types[one.name][0], one.type):
                return None
    model = read_tool(ast.parse(large.source)).models[camel(large.name) + "Input"]
    given = {one.name for one in ours.inputs}
    if any(one.default is None and one.name not in given for one in model.fields):
        return None
    return Adapter({name: name for name in sorted(given)}, {one.name: one.name for one in ours.outputs})


def supersets(toolset: Toolset, names: Sequence[str]) -> list[tuple[str, str]]:
    """Pairs (small, large) of a cluster in which the second can answer for the first; each tool is small once."""
    tools = [toolset.find(name) for name in names]
    found: list[tuple[str, str]] = []
    for small in sorted(tools, key=lambda one: (len(one.contract.inputs), one.name)):
        gone = {one for one, _ in found}
        for large in sorted(tools, key=lambda one: (-len(one.contract.inputs), one.name)):
            if large.name != small.name and large.name not in gone and contained(small, large) is not None:
                found.append((small.name, large.name))
                break
    return found


def adapted(old: Tool, name: str, module: str, adapter: Adapter) -> str:
    """The old tool's source with its models as they were, its function answered by the new tool.

    Args:
        old: whose tests shall pass.
        name: of the new tool.
        module: to import it from.
        adapter: between their fields.
    """
    tree = ast.parse(old.source)
    kept = [node for node in tree.body if not (isinstance(node, ast.FunctionDef) and node.name == old.name)]
    given = [f"{new}=given.{mine}" for mine, new in adapter.inputs.items()]
    given += [f"{new}={json.loads(json.dumps(value))!r}" for new, value in adapter.constants.items()]
    gave = [f"{mine}=made.{new}" for mine, new in adapter.outputs.items()]
    mine = camel(old.name)
    text = (
        f"from {module} import {camel(name)}Input as _NewInput, {name} as _new\n\n"
        f"def {old.name}(given: {mine}Input) -> {mine}Output:\n"
        f"    made = _new(_NewInput({', '.join(given)}))\n"
        f"    return {mine}Output({', '.join(gave)})\n"
    )
    return ast.unparse(ast.Module(kept, [])) + "\n\n" + text


@dataclass(frozen=True, slots=True)
class MergeOutcome:
    """How one try of a merger ended.

    Attributes:
        state: ``merged``; ``again``, with the findings that the next draft has to mend; or ``restored``, after the
            last try, with the toolset as it was.
        findings: what was wrong.
        kept: the tool that answers now; empty unless merged.
        gone: the tools that it replaces.
    """

    state: Literal["merged", "again", "restored"]
    findings: tuple[str, ...] = ()
    kept: str = ""
    gone: tuple[str, ...] = ()


class MergeJob:
    """One merger of some tools: two tries, then everything is as it was.

    The old tools stay in place, and in a backup, until the new one has passed the gate and all their tests.

    Args:
        toolset: to change.
        gate: for the draft and the old tests.
        names: of the tools to be merged.
    """

    def __init__(self, toolset: Toolset, gate: Gate, names: Sequence[str]) -> None:
        if len(set(names)) < 2:
            raise InputError("A merger needs two tools at least.")
        self._toolset, self._gate = toolset, gate
        self._old = [toolset.find(name) for name in dict.fromkeys(names)]
        self._tries = 0
        self._backup = toolset.folder / HIDDEN / "merging" / "-".join(sorted(names))[:100]
        for one in self._old:
            for ending, text in ((".py", one.source), ("_tests.py", one.tests)):
                write_atomic(self._backup / f"{one.name}{ending}", text.encode())

    def keep(self, large: str) -> MergeOutcome:
        """Let one of the tools answer for the others, which it contains (see `contained`)."""
        kept = next(one for one in self._old if one.name == large)
        rest = [one for one in self._old if one.name != large]
        adapters = {one.name: contained(one, kept) for one in rest}
        if lacking := [name for name, adapter in adapters.items() if adapter is None]:
            return self._failed([f"`{large}` does not contain `{name}`." for name in lacking])
        known = {name: adapter for name, adapter in adapters.items() if adapter is not None}
        if wrong := self._tests_fail(kept, rest, known):
            return self._failed(wrong)
        return self._replace(kept, rest, None)

    def draft(self, candidate: Candidate, adapters: Mapping[str, Adapter], made_by: str) -> MergeOutcome:
        """Try a draft that shall replace all of the tools (one of which may be its earlier version).

        Args:
            candidate: the new tool.
            adapters: for each old tool of another name.
            made_by: goes into the record.
        """
        report = self._gate.report(candidate)
        if not report.passed:
            return self._failed([str(one) for one in report.findings])
        rest = [one for one in self._old if one.name != candidate.name]
        if lacking := [one.name for one in rest if one.name not in adapters]:
            return self._failed([f"There is no adapter for `{name}`." for name in lacking])
        same = next((one for one in self._old if one.name == candidate.name), None)
        base = same or self._old[0]
        new = replace(base, name=candidate.name, folder=base.folder, source=candidate.source, tests=candidate.tests)
        if wrong := self._tests_fail(new, rest, adapters):
            return self._failed(wrong)
        return self._replace(new, rest, (candidate, report, made_by))

    def _tests_fail(self, new: Tool, rest: Sequence[Tool], adapters: Mapping[str, Adapter]) -> list[str]:
        """What is not green when the new tool answers for the old ones."""
        others = [one for one in self._toolset.tools() if one.name not in {new.name, *(old.name for old in rest)}]
        wrong = [
            f"`{one.name}` imports `{old.name}`, which would be gone."
            for one in others
            for old in rest
            if old.module in tools_imported(ast.parse(one.source))
        ]
        gate = self._gate.beside([*others, new])
        for old in rest:
            source = adapted(old, new.name, new.module, adapters[old.name])
            found = gate.check("tests", Candidate(old.contract, source, old.tests))
            wrong += [f"Tests of `{old.name}`: {one.message}" for one in found]
        return wrong

    def _failed(self, findings: Sequence[str]) -> MergeOutcome:
        self._tries += 1
        if self._tries < TRIES:
            return MergeOutcome("again", tuple(findings))
        self._restore()
        return MergeOutcome("restored", tuple(findings))

    def _restore(self) -> None:
        """Put the old tools back where something touched them meanwhile, and forget the backup."""
        with self._toolset.held():
            there = {one.name: one for one in self._toolset.tools()}
            lost = [one for one in self._old if there.get(one.name) != one]
            if lost:
                from labwright.tools.forge.optimise import written

                changes = {path: data for one in lost for path, data in written(one).items()}
                names = {one.name for one in lost}
                self._toolset.change(changes, [*(one for one in there.values() if one.name not in names), *lost])
        self._forget()

    def _replace(
        self, kept: Tool, rest: Sequence[Tool], made: tuple[Candidate, GateReport, str] | None
    ) -> MergeOutcome:
        if made is not None:
            kept = self._toolset.admit(*made, folder=kept.folder)
        gone = tuple(one.name for one in rest)
        with self._toolset.held():
            tools = [one for one in self._toolset.tools() if one.name not in gone]
            record = kept.record.model_copy(update={"replaces": [*kept.record.replaces, *gone]})
            changes: dict[str, bytes | None] = {f"{HIDDEN}/{kept.name}/record.json": record.to_bytes()}
            for one in rest:
                changes |= retiring(one, f"merged into {kept.name}")
            self._toolset.change(changes, tools)
        self._forget()
        return MergeOutcome("merged", (), kept.name, gone)

    def _forget(self) -> None:
        for path in self._backup.iterdir():
            path.unlink()
        self._backup.rmdir()
