"""Inside a job's process: the candidate is loaded from memory, its tests or its recorded calls are run.

A small runner of plain pytest functions stands here in place of pytest's own: forty mutants cost forty starts of
pytest otherwise. It knows parametrize, fixtures of the module, ``tmp_path`` and ``monkeypatch.chdir``; the gate's
form lets nothing else through. A test of ours holds the two runners against each other.
"""

from __future__ import annotations

import ast
import itertools
import os
import sys
import time
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from types import GeneratorType
from typing import Any

from labwright.tools.forge.calls.sandboxed_call import Apart
from labwright.tools.forge.gate.audit_hook import watch
from labwright.tools.forge.gate.tool_call_interception import MOST_CALLS, Guard
from labwright.tools.forge.gate.tool_loading import Loading
from labwright.tools.forge.toolset.client import Tools

MOST_TEXT = 600  # characters of an error
ENOUGH_ERRORS = 3  # tests that end in another exception, after which a mutant counts as crashed


def run_job(job: dict[str, Any], root: Path) -> dict[str, Any]:
    """Run one job.

    Args:
        job: ``kind`` ``tests`` or ``probe``; ``name``, ``module``, ``source``, ``tests``, ``modules``
            (dotted name -> text of other tools); for ``tests``: ``only`` (ids, or None for all), ``mode``
            (``baseline``, ``apart``, ``hollow``, ``mutant``); for ``probe``: ``inputs`` (JSON texts).
        root: the job's own folder.
    """
    apart = Apart(0) if job.get("mode") == "apart" else None  # forked while nothing of the candidate is here
    refused = watch((f"{job['name']}.py", f"test_{job['name']}.py"))
    loading = Loading(job["module"], job["source"], job["modules"], hits=job.get("mode") == "baseline")
    if apart is not None:
        return _run_apart(job, loading, apart, root)
    try:
        module = loading.tool()
    except BaseException as error:  # noqa: BLE001 - whatever an import raises is the answer
        return {"stage": "tool", "error": told(error, job["name"])}
    guard = Guard(module, job["name"], root, mode=job.get("mode", "mutant"))
    if job["kind"] == "probe":
        found, refused = guard.unguarded(job["inputs"])
        return {"stage": "done", "open": found, "refused": refused}
    guard.put_in_place()
    tree = ast.parse(job["tests"])
    fixtures = _strip_fixtures(tree)
    try:
        namespace = loading.run_tests(job["name"], tree, job["tests"])
    except BaseException as error:  # noqa: BLE001
        return {"stage": "tests", "error": told(error, f"test_{job['name']}")}
    runner = _Runner(namespace, fixtures, guard, loading, root, job["name"])
    outcomes = runner.run(job.get("only"), stop=job.get("mode") == "mutant")
    if refused:
        guard.flags["refused"] = refused[0]
    return {"stage": "done", "outcomes": outcomes, "seen": guard.seen(), "flags": guard.flags}


class _Asked:
    """Carries requests of the tests to the tool's processes, and keeps each with its reply."""

    def __init__(self, apart: Apart) -> None:
        self._apart, self.test = apart, ""
        self.asked: list[dict[str, Any]] = []

    def __call__(self, request: dict[str, Any]) -> dict[str, Any]:
        reply = self._apart(request)
        if request["ask"] != "describe" and len(self.asked) < MOST_CALLS:
            kept = {key: value for key, value in request.items() if key not in ("texts", "module")}
            self.asked.append({"test": self.test, "request": kept, "reply": reply})
        return reply


def _run_apart(job: dict[str, Any], loading: Loading, apart: Apart, root: Path) -> dict[str, Any]:
    """The tests as a script of a workspace sees the tool: without its code, by answers that are plain data."""
    texts = {**job["modules"], job["module"]: job["source"]}
    asked = _Asked(apart)
    sys.meta_path.insert(0, Tools(texts.get, asked, records=False))
    tree = ast.parse(job["tests"])
    fixtures = _strip_fixtures(tree)
    try:
        namespace = loading.run_tests(job["name"], tree, job["tests"])
    except BaseException as error:  # noqa: BLE001
        return {"stage": "tests", "error": told(error, f"test_{job['name']}")}
    runner = _Runner(namespace, fixtures, asked, loading, root, job["name"])
    return {"stage": "done", "outcomes": runner.run(None, stop=False), "asked": asked.asked}


def _strip_fixtures(tree: ast.Module) -> set[str]:
    """Take ``@pytest.fixture`` off, so that fixtures are plain functions; their names."""
    found: set[str] = set()
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            marks = node.decorator_list
            kept = [one for one in marks if not ast.unparse(one).startswith(("pytest.fixture", "fixture"))]
            if len(kept) < len(node.decorator_list):
                found.add(node.name)
                node.decorator_list = kept
    return found


class _Patches:
    """The part of pytest's ``monkeypatch`` that the gate's form lets through; everything is put back by `undo`."""

    def __init__(self) -> None:
        self._before: list[tuple[Any, str, Any]] = []

    def chdir(self, path: str | Path) -> None:
        os.chdir(path)

    def setattr(self, target: Any, name: str, value: Any) -> None:
        self._before.append((target, name, getattr(target, name)))
        setattr(target, name, value)

    def undo(self) -> None:
        for target, name, value in reversed(self._before):
            setattr(target, name, value)
        self._before.clear()


class _Runner:
    def __init__(
        self,
        namespace: dict[str, Any],
        fixtures: set[str],
        guard: Guard | _Asked,
        loading: Loading,
        root: Path,
        name: str,
    ) -> None:
        self._names, self._fixtures, self._guard = namespace, fixtures, guard
        self._loading, self._root, self._name = loading, root, name
        self._counter, self._patches = itertools.count(), _Patches()

    def run(self, only: list[str] | None, *, stop: bool) -> list[dict[str, Any]]:
        outcomes, odd = [], 0
        cases = {identity: (function, given) for identity, function, given in self._cases()}
        for identity in only if only is not None else cases:
            if identity not in cases:
                continue
            function, given = cases[identity]
            outcome = self._one(identity, function, given)
            outcomes.append(outcome)
            odd += outcome["outcome"] == "error"
            if stop and (outcome["outcome"] == "failed" or odd >= ENOUGH_ERRORS):
                break
        return outcomes

    def _cases(self) -> Iterator[tuple[str, Callable[..., Any], dict[str, Any]]]:
        for name, function in list(self._names.items()):
            if not name.startswith("test_") or not callable(function) or name in self._fixtures:
                continue
            marks = [mark for mark in getattr(function, "pytestmark", []) if mark.name == "parametrize"]
            if not marks:
                yield name, function, {}
                continue
            for number, chosen in enumerate(itertools.product(*(_sets(*mark.args[:2]) for mark in marks))):
                yield f"{name}[{number}]", function, {key: value for one in chosen for key, value in one.items()}

    def _one(self, identity: str, function: Callable[..., Any], given: dict[str, Any]) -> dict[str, Any]:
        self._guard.test = identity
        self._loading.hit.clear()
        open_fixtures: list[Any] = []
        began, outcome, error = time.perf_counter(), "passed", None
        try:
            function(**{**given, **self._arguments(function, given, open_fixtures)})
        except BaseException as raised:  # noqa: BLE001 - a test's end, whatever it is, is the outcome
            outcome, error = _outcome(raised), told(raised, f"test_{self._name}")
        finally:
            self._patches.undo()
            os.chdir(self._root)
        for one in reversed(open_fixtures):
            next(one, None)
        seconds = time.perf_counter() - began
        made = {"test": identity, "outcome": outcome, "seconds": seconds, "error": error}
        return {**made, "hit": sorted(self._loading.hit)}

    def _arguments(self, function: Callable[..., Any], given: dict[str, Any], opened: list[Any]) -> dict[str, Any]:
        code = function.__code__
        wanted = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
        return {name: self._fixture(name, opened) for name in wanted if name not in given}

    def _fixture(self, name: str, opened: list[Any]) -> Any:
        if name in self._fixtures:
            function = self._names[name]
            made = function(**self._arguments(function, {}, opened))
            if isinstance(made, GeneratorType):
                opened.append(made)
                return next(made)
            return made
        if name == "tmp_path":
            folder = self._root / f"tmp{next(self._counter)}"
            folder.mkdir()
            return folder
        if name == "monkeypatch":
            return self._patches
        raise LookupError(f"There is no fixture {name!r}.")


def _sets(names: Any, values: Any) -> list[dict[str, Any]]:
    keys = [one.strip() for one in names.split(",")] if isinstance(names, str) else list(names)
    found = []
    for value in values:
        row = getattr(value, "values", None) if type(value).__name__ == "ParameterSet" else None
        if row is None:
            row = [value] if len(keys) == 1 else list(value)
        found.append(dict(zip(keys, row, strict=True)))
    return found


def _outcome(error: BaseException) -> str:
    """``failed`` only where an assertion did: pytest's own `Failed` is one, too ("DID NOT RAISE")."""
    if isinstance(error, AssertionError):
        return "failed"
    kinds = [(kind.__name__, kind.__module__) for kind in type(error).__mro__]
    if ("Failed", "_pytest.outcomes") in kinds:
        return "failed"
    if ("Skipped", "_pytest.outcomes") in kinds:
        return "skipped"
    return "error"


def told(error: BaseException, name: str) -> dict[str, Any]:
    """Kind, message and line of an error, and for a failed assertion what its sides were."""
    line, text, sides = 0, "", ""
    for frame, number in traceback.walk_tb(error.__traceback__):
        if frame.f_code.co_filename == f"{name}.py":
            line = number
            sides = _sides(frame, number) if isinstance(error, AssertionError) else ""
    lines = traceback.format_exception_only(type(error), error)
    text = "".join(lines).strip()
    message = f"{text} {sides}".strip() if sides else text
    return {"kind": type(error).__name__, "message": message[-MOST_TEXT:], "line": line}


def _sides(frame: Any, line: int) -> str:
    """The values on both sides of the assertion at `line`, computed again in its frame."""
    import linecache

    try:
        tree = ast.parse("".join(linecache.getlines(frame.f_code.co_filename)))
        asserts = [one for one in ast.walk(tree) if isinstance(one, ast.Assert)]
        node = next(one for one in asserts if one.lineno <= line <= (one.end_lineno or 0))
        parts = [node.test.left, *node.test.comparators] if isinstance(node.test, ast.Compare) else [node.test]
        values = [_value(part, frame) for part in parts]
        return f"`{ast.unparse(node)[:160]}` with {', '.join(values)}"
    except BaseException:  # noqa: BLE001 - a nicety; the outcome stands without it
        return ""


def _value(part: ast.expr, frame: Any) -> str:
    code = compile(ast.Expression(part), "side", "eval")
    return repr(eval(code, frame.f_globals, frame.f_locals))[:80]
