"""Try a draft where it lies, in the sandbox: ``python -m labwright.tools.forge.try_draft <folder>``.

Its tests run under pytest, and then the gate's own checks run: all findings of those that read the texts, and those of
the first that runs them and finds something. What counts is the gate outside; this tells beforehand what it will say.

Tests import their tool as ``tools.<name>``. Here that name means the toolset with the draft's folder in front of it.
"""

from __future__ import annotations

import json
import os
import sys
import traceback
import types
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from labwright.tools.forge.contract import Candidate, Parameter, ToolContract
from labwright.tools.forge.reading import ModelRead, camel, parse, read_tool
from labwright.tools.forge.shelf import HIDDEN, NOT_TOOLS

if TYPE_CHECKING:
    from labwright.tools.forge.findings import GateFinding

CONTRACT = "contract.json"  # in the draft's folder; without it the source is held against itself
TASK, TOOLS = "question.md", "tools"  # of the workspace, the folder in which this is called
UNRUNNABLE = ("syntax", "tests_syntax", "no_model", "one_function", "signature", "no_tests", "tests_import")


def main(arguments: list[str]) -> int:
    """0 if tests and gate find nothing wrong. What follows the folder goes to pytest; the gate is left out then."""
    if not arguments or not Path(arguments[0]).is_dir():
        sys.stderr.write("Give the folder of the draft, such as tool_smith/task_1.\n")
        return 2
    sys.dont_write_bytecode = True
    folder, options = Path(arguments[0]), arguments[1:]
    code = _apart(folder, options) if any(folder.glob("test_*.py")) else 0
    if options:
        return code
    found = [one for candidate in candidates(folder) for one in _told(candidate)]
    return code or int(bool(found))


def _apart(folder: Path, options: list[str]) -> int:
    """Pytest's exit code, from a process of its own: what it imports is not what the gate is to look at."""
    sys.stdout.flush()
    child = os.fork()
    if child == 0:
        code = 3
        try:
            code = _pytest(folder, options)
        except Exception:
            traceback.print_exc()
            raise
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(code)
    return abs(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))


def _pytest(folder: Path, options: list[str]) -> int:
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"  # plugins of this environment cost seconds and add nothing
    import pytest  # only inside, where tests are run

    package = types.ModuleType("tools")
    package.__path__ = [str(folder), TOOLS]
    sys.modules["tools"] = package
    sys.path.insert(0, ".")
    tests = sorted(str(path) for path in folder.glob("test_*.py"))
    return int(pytest.main(["-q", "-p", "no:cacheprovider", "--import-mode=importlib", *options, *tests]))


def candidates(folder: Path) -> list[Candidate]:
    """The tools that are drafted in a folder."""
    names = sorted(path.stem for path in folder.glob("*.py") if not path.stem.startswith("test_"))
    drafted = [name for name in names if (folder / f"test_{name}.py").is_file()]
    return [_candidate(folder, name) for name in drafted or names]


def _candidate(folder: Path, name: str) -> Candidate:
    source = (folder / f"{name}.py").read_text(encoding="utf-8")
    lying = folder / f"test_{name}.py"
    tests = lying.read_text(encoding="utf-8") if lying.is_file() else ""
    kept = folder / CONTRACT
    if kept.is_file():
        contract = ToolContract.model_validate(json.loads(kept.read_text(encoding="utf-8")))
        if contract.name == name:
            return Candidate(contract, source, tests)
    return Candidate(_written(name, source), source, tests)


def _written(name: str, source: str) -> ToolContract:
    """A contract that says what the source says."""
    try:
        models = read_tool(parse(source, f"{name}.py")).models
    except SyntaxError:
        models = {}
    inputs, outputs = (_parameters(models.get(camel(name) + kind)) for kind in ("Input", "Output"))
    words = {"purpose": "", "package": "", "method": "", "invariants": ["see the tests"]}
    return ToolContract.model_validate({"name": name, "inputs": inputs, "outputs": outputs, **words})


def _parameters(model: ModelRead | None) -> list[Parameter]:
    fields = model.fields if model is not None else ()
    return [Parameter(name=one.name, type=one.type, description=one.description, unit="") for one in fields]


@dataclass(frozen=True, slots=True)
class _Lying:
    """A tool as it lies in the workspace."""

    name: str
    module: str
    source: str


class _Shelf:
    """The workspace's copy of the toolset."""

    def tools(self) -> Sequence[_Lying]:
        paths = [path for path in sorted(Path(TOOLS).rglob("*.py")) if path.name not in NOT_TOOLS]
        return [
            _Lying(path.stem, ".".join(path.with_suffix("").parts), path.read_text(encoding="utf-8"))
            for path in paths
            if HIDDEN not in path.parts
        ]


def _told(candidate: Candidate) -> list[GateFinding]:
    """The gate's findings, as they are printed."""
    sys.stdout.write(f"\nThe gate on {candidate.name}:\n")
    sys.stdout.flush()
    found = []
    for check, one in _findings(candidate):
        if one is None:
            sys.stdout.write(f"- {check}: nothing found.\n")
        else:
            found.append(one)
            sys.stdout.write(f"- {one}\n")
        sys.stdout.flush()
    return found


def _findings(candidate: Candidate) -> Iterator[tuple[str, GateFinding | None]]:
    """Check and finding, None for a check that has none; told as they come, since a command may be cut short."""
    from labwright.tools.forge.gate import GATE_CHECKS, TEXT_CHECKS, GateBench

    task = Path(TASK).read_text(encoding="utf-8") if Path(TASK).is_file() else ""
    rules: set[str] = set()
    with GateBench(None, _Shelf(), task) as gate:
        for check in GATE_CHECKS:
            if check not in TEXT_CHECKS and rules & set(UNRUNNABLE):
                return  # what cannot be loaded cannot be run
            found = gate.check(check, candidate)
            rules |= {one.rule for one in found}
            if not found:
                yield check, None
            yield from ((check, one) for one in found)
            if found and check not in TEXT_CHECKS:
                return


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
