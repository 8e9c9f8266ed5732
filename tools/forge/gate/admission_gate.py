"""The gate: every check of a candidate, cheapest first; nothing else lets a tool into a toolset."""

from __future__ import annotations

import importlib.metadata
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

from labwright.tools.errors import InputError, SandboxedFailure
from labwright.tools.forge.gate.call_replay_check import SLOW, to_ask, use_findings
from labwright.tools.forge.gate.candidate_process import Bench, GateLimits, tool_module
from labwright.tools.forge.gate.error_hiding import check_honesty
from labwright.tools.forge.gate.forbidden_references import check_references
from labwright.tools.forge.gate.form_of_tests import check_tests, expecting, watching
from labwright.tools.forge.gate.imports_and_patching import check_effects
from labwright.tools.forge.gate.job_findings import (
    apart_findings,
    errors_findings,
    finite_findings,
    given,
    hollow_findings,
    invariant_findings,
    some_inputs,
    tests_findings,
)
from labwright.tools.forge.gate.mutation_testing import judge_mutants
from labwright.tools.forge.gate.parsed_candidate import Draft, read_draft
from labwright.tools.forge.gate.rulebook import GATE_CHECKS, TEXT_CHECKS, finding
from labwright.tools.forge.gate.source_form import check_lint, check_source
from labwright.tools.forge.gate.task_constants import check_constants
from labwright.tools.forge.toolset.contract import Candidate
from labwright.tools.forge.toolset.gate_findings import GateFinding, GateReport, MutantCount
from labwright.tools.forge.toolset.stored_tool import Tool
from labwright.tools.forge.toolset.tool_source import modules_imported, parse, tools_imported
from labwright.tools.sandbox.base import Sandbox

if TYPE_CHECKING:
    from labwright.tools.forge.toolset.toolset import Toolset


MODES = {"baseline": 1, "hollow": 1, "apart": SLOW}  # runs of the tests, and how much longer each may take


class GateBench:
    """Checks candidates. Holds one confined process; use it in a ``with`` block, or close it.

    Args:
        sandbox: where candidates run.
        toolset: whose tools a candidate may import; None for none.
        task_text: of the task at hand, whose numbers no tool may hold.
        limits: of a candidate.
    """

    def __init__(
        self,
        sandbox: Sandbox,
        toolset: Toolset | None = None,
        task_text: str = "",
        limits: GateLimits | None = None,
    ) -> None:
        self._tools: Callable[[], Sequence[Tool]] = toolset.tools if toolset is not None else list
        self._task_text = task_text
        self._limits = limits or GateLimits()
        self.sandbox = sandbox
        self._bench = Bench(sandbox, self._limits)
        self._of, self._base, self._mutants = "", dict[str, dict[str, Any]](), MutantCount()
        self._survivors: list[str] = []

    @property
    def base(self) -> dict[str, Any]:
        """The first run of the last candidate's tests: ``seen``, its calls; empty before."""
        return self._base.get("tests", {})

    def check(self, name: str, candidate: Candidate) -> list[GateFinding]:
        """The findings of one check; those before it must have passed.

        Raises:
            InputError: there is no such check.
        """
        if name not in GATE_CHECKS:
            raise InputError(f"The gate has no check {name!r}. It has: {', '.join(GATE_CHECKS)}.")
        self._begin(candidate)
        draft = read_draft(candidate)
        if not isinstance(draft, Draft):
            return draft if name == "form" else []
        try:
            return list(_unique(getattr(self, f"_{name}")(draft)))
        except SandboxedFailure as failure:
            missing = failure.kind in ("ModuleNotFoundError", "ImportError")
            return [finding("import_failed" if missing else "sandbox_failed", 0, error=str(failure))]

    def report(self, candidate: Candidate) -> GateReport:
        """Every check in order: all that look at the texts, then those that run them up to the first with findings."""
        self._begin(candidate)
        done: list[str] = []
        seconds: dict[str, float] = {}
        found: list[GateFinding] = []
        for name in GATE_CHECKS:
            if found and name not in TEXT_CHECKS:
                break
            began = time.monotonic()
            found += self.check(name, candidate)
            seconds[name] = round(time.monotonic() - began, 3)
            done.append(name)
        return self._report(candidate, found, done, seconds)

    def close(self) -> None:
        """End the confined process."""
        self._bench.close()

    def __enter__(self) -> GateBench:
        return self

    def __exit__(self, *ignored: object) -> None:
        self.close()

    def _report(
        self, candidate: Candidate, found: list[GateFinding], done: list[str], seconds: dict[str, float]
    ) -> GateReport:
        base = self.base
        outcomes = base.get("outcomes", [])
        return GateReport(
            name=candidate.name,
            candidate_sha256=candidate.sha256,
            passed=not found and tuple(done) == GATE_CHECKS,
            findings=tuple(found),
            checks=tuple(done),
            level=self._bench.level,
            mutants=self._mutants,
            seconds=seconds,
            versions=versions_of(candidate.source),
            tests=tuple(one["test"] for one in outcomes if one["outcome"] == "passed"),
            seen=tuple(some_inputs(base, 5)) if base.get("seen") else (),
            survivors=tuple(self._survivors),
        )

    def _begin(self, candidate: Candidate) -> None:
        """Forget what was seen of another candidate."""
        if self._of != candidate.sha256:
            self._of, self._base, self._mutants, self._survivors = candidate.sha256, {}, MutantCount(), []

    # The checks, by name

    def _form(self, draft: Draft) -> Iterator[GateFinding]:
        yield from check_source(draft)
        yield from check_tests(draft)

    def _rules(self, draft: Draft) -> Iterator[GateFinding]:
        known = {one.module for one in self._tools()} if _asks(draft) else set()
        for tree, tests in ((draft.tool.tree, False), (draft.tests, True)):
            allowed = known | {tool_module(draft)} if tests else known - {tool_module(draft)}
            yield from check_honesty(tree)
            yield from check_references(tree, tests=tests)
            yield from check_effects(tree, tests=tests, known_tools=frozenset(allowed))
        yield from check_constants(draft, self._task_text)

    def _lint(self, draft: Draft) -> Iterator[GateFinding]:
        yield from check_lint(draft)

    def _tests(self, draft: Draft) -> Iterator[GateFinding]:
        found = list(tests_findings(self._baseline(draft), self._limits.tests_seconds))
        found = found or list(hollow_findings(self._baseline(draft), self._base["hollow"]))
        yield from found or apart_findings(self._base["apart"], watching(draft), SLOW * self._limits.tests_seconds)

    def _errors(self, draft: Draft) -> Iterator[GateFinding]:
        if not self._ran(draft):
            return
        base = self._baseline(draft)
        yield from errors_findings(base, expecting(draft))
        yield from finite_findings(self._probe(draft))

    def _use(self, draft: Draft) -> Iterator[GateFinding]:
        if self._ran(draft):
            self._baseline(draft)
            asked = to_ask(draft, self._base["apart"], self._probe(draft).get("refused", []), self._texts(draft))
            yield from use_findings(asked, self._bench.servers, SLOW * self._limits.tests_seconds)

    def _invariants(self, draft: Draft) -> Iterator[GateFinding]:
        if self._ran(draft):
            yield from invariant_findings(draft, self._baseline(draft))

    def _mutation(self, draft: Draft) -> Iterator[GateFinding]:
        if list(tests_findings(self._baseline(draft), self._limits.tests_seconds)):
            yield finding("mutation_baseline", 0, error="its tests are not green")
            return
        run = lambda jobs, seconds: self._run(draft, jobs, seconds)  # noqa: E731 - one argument less to pass on
        self._mutants, self._survivors, found = judge_mutants(draft, self._baseline(draft), self._limits, run)
        yield from found

    # Inside

    def _ran(self, draft: Draft) -> bool:
        base = self._baseline(draft)
        return bool(base["ending"] == "ok" and base["stage"] == "done")

    def _baseline(self, draft: Draft) -> dict[str, Any]:
        """The first run of the tests, and beside it the run with a tool that gives nothing; once a candidate."""
        if "tests" not in self._base:
            limit = self._limits.tests_seconds
            jobs = [{"kind": "tests", "mode": mode, "wall": slow * limit, "cpu": limit} for mode, slow in MODES.items()]
            ran = self._run(draft, jobs, sum(MODES.values()) * limit)
            self._base |= dict(zip(("tests", "hollow", "apart"), ran, strict=True))
        return self._base["tests"]

    def _probe(self, draft: Draft) -> dict[str, Any]:
        """What became of inputs with numbers that are not finite; once a candidate."""
        if "probe" not in self._base:
            base, limit = self._baseline(draft), self._limits.tests_seconds
            probe = {"kind": "probe", "inputs": given(base), "wall": limit, "cpu": limit}
            self._base["probe"] = self._run(draft, [probe], limit)[0]
        return self._base["probe"]

    def _run(self, draft: Draft, jobs: list[dict[str, Any]], seconds: float) -> list[dict[str, Any]]:
        return self._bench.run(draft, jobs, self._texts(draft), seconds)

    def _texts(self, draft: Draft) -> dict[str, str]:
        """Sources of the tools that the candidate imports, and of those that they import."""
        if not _asks(draft):
            return {}
        there = {one.module: one.source for one in self._tools() if one.name != draft.name}
        found: dict[str, str] = {}
        waiting = [*tools_imported(draft.tool.tree), *tools_imported(draft.tests)]
        while waiting:
            module = waiting.pop()
            if module in there and module not in found:
                found[module] = there[module]
                waiting += tools_imported(parse(there[module], module))
        return found


def _asks(draft: Draft) -> bool:
    """Whether the candidate imports other tools."""
    imported = {*tools_imported(draft.tool.tree), *tools_imported(draft.tests)}
    return any(draft.name not in module.split(".") for module in imported)


def _unique(found: Iterator[GateFinding]) -> Iterator[GateFinding]:
    seen: set[tuple[str, int, str]] = set()
    for one in found:
        key = (one.rule, one.line, one.message)
        if key not in seen:
            seen.add(key)
            yield one


def versions_of(source: str) -> dict[str, str]:
    """Distribution -> version of the third-party packages that a source imports."""
    try:
        tops = {module.split(".")[0] for module in modules_imported(parse(source, "tool"))}
    except SyntaxError:
        return {}
    owners = {name: _owners().get(name, [""])[0] for name in tops if name not in sys.stdlib_module_names}
    return {owner: importlib.metadata.version(owner) for owner in sorted(filter(None, owners.values()))}


@cache
def _owners() -> dict[str, list[str]]:
    return dict(importlib.metadata.packages_distributions())
