"""The tools of this workspace, and a recorder of what is called.

Each call of a tool appends one line to ``logs/calls.jsonl`` of the folder that the process was started in: tool,
sha256 of its input, the input's plain fields, seconds, and ok or the name of the exception. At the end of the process
``logs/imports.jsonl`` gets the third-party packages that it had imported, with their versions. The tools themselves
run as if nothing stood between: same results, same exceptions, and picklable under their own names.
"""

from __future__ import annotations

import atexit
import functools
import hashlib
import json
import os
import sys
import time
from collections.abc import Callable, Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType
from typing import Any

PACKAGE = "tools"
LONGEST_TEXT = 200  # characters of a text field that is kept
_began_in = os.getcwd()  # noqa: PTH109 - kept as text: scripts may change the folder later
_complained = False


def _append(name: str, line: dict[str, Any]) -> None:
    """One line, in one write, so that lines of several processes do not mix."""
    global _complained
    folder = os.path.join(_began_in, "logs")  # noqa: PTH118
    try:
        os.makedirs(folder, exist_ok=True)  # noqa: PTH103
        descriptor = os.open(os.path.join(folder, name), os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)  # noqa: PTH118
        try:
            os.write(descriptor, (json.dumps(line) + "\n").encode())
        finally:
            os.close(descriptor)
    except OSError as wrong:  # a full disk must not change what a tool does; it is said, once
        if not _complained:
            sys.stderr.write(f"tools: calls cannot be recorded: {wrong}\n")
        _complained = True


def _plain_fields(given: Any) -> tuple[str, dict[str, Any]]:
    """sha256 of an input's JSON, and its fields that are numbers, words or truth values."""
    try:
        text = given.model_dump_json()
        fields = given.model_dump(mode="json")
    except Exception:  # noqa: BLE001 - not a model: the tool itself shall say so
        return hashlib.sha256(repr(given).encode()).hexdigest(), {}
    kept = {
        name: value[:LONGEST_TEXT] if isinstance(value, str) else value
        for name, value in fields.items()
        if value is None or isinstance(value, (bool, int, float, str))
    }
    return hashlib.sha256(text.encode()).hexdigest(), kept


def recorded(function: Callable[..., Any], tool: str) -> Callable[..., Any]:
    """`function`, with each call noted."""

    @functools.wraps(function)
    def call(*args: Any, **named: Any) -> Any:
        digest, fields = _plain_fields(args[0] if args else next(iter(named.values()), None))
        began, outcome = time.perf_counter(), "ok"
        try:
            return function(*args, **named)
        except BaseException as error:
            outcome = type(error).__name__
            raise
        finally:
            seconds = round(time.perf_counter() - began, 6)
            line = {"tool": tool, "sha256": digest, "input": fields, "seconds": seconds, "outcome": outcome}
            _append("calls.jsonl", line)

    return call


class _Loader(Loader):
    """Runs a module as its own loader does, then puts the recorder around the function named as the module."""

    def __init__(self, inner: Loader) -> None:
        self._inner = inner

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return self._inner.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        self._inner.exec_module(module)
        name = module.__name__.rpartition(".")[2]
        function = getattr(module, name, None)
        if callable(function) and not isinstance(function, type):
            setattr(module, name, recorded(function, name))


class _Finder(MetaPathFinder):
    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if not fullname.startswith(PACKAGE + "."):
            return None
        found = PathFinder.find_spec(fullname, path, target)
        if found is None or found.loader is None or found.submodule_search_locations is not None:
            return None
        found.loader = _Loader(found.loader)
        return found


def imported_packages() -> dict[str, str]:
    """Third-party packages that this process has imported -> version; `unknown` where nothing says it."""
    from importlib import metadata

    found: dict[str, str] = {}
    unnamed: list[str] = []
    for name in sorted({key.partition(".")[0] for key in list(sys.modules)}):
        if name.startswith("_") or name == PACKAGE or name in sys.stdlib_module_names:
            continue
        if "-packages" not in str(getattr(sys.modules.get(name), "__file__", "") or ""):
            continue
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            unnamed.append(name)
    owners = metadata.packages_distributions() if unnamed else {}
    for name in unnamed:
        owner = owners.get(name, [])
        found[name] = metadata.version(owner[0]) if owner else "unknown"
    return found


def _at_end() -> None:
    _append("imports.jsonl", {"script": os.path.basename(sys.argv[0] or ""), "packages": imported_packages()})  # noqa: PTH119


if __name__ == PACKAGE and not any(type(one).__name__ == "_Finder" for one in sys.meta_path):
    sys.meta_path.insert(0, _Finder())
    atexit.register(_at_end)
