"""The toolset that comes with the package: recipes of the book that passed the gate when it was built.

What is kept of it are the gate's records and the indexes; sources and tests are the book's, and are put in place when a
toolset is made.
"""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from labwright.tools.errors import InputError
from labwright.tools.forge.book import Book
from labwright.tools.forge.extras import missing
from labwright.tools.forge.findings import GateReport
from labwright.tools.forge.gate import GateBench
from labwright.tools.forge.toolset import Toolset
from labwright.tools.sandbox.base import Sandbox

STARTER = Path(__file__).resolve().parent / "starter_tools"
Heard = Callable[[str, GateReport | None], None]


def copy_starter(target: Path) -> Toolset:
    """A toolset of one's own with the tools of the starter.

    Raises:
        InputError: the folder holds something already.
    """
    if target.exists() and any(target.iterdir()):
        raise InputError(f"Folder {target} is not empty. Name a new one, or use what is there.")
    assemble(target)
    return Toolset(target)


def assemble(target: Path) -> None:
    """Write the starter into `target`: records and indexes as they were built, sources and tests from the book.

    A recipe stands in the book by itself; in the toolset it stands in an area's folder, and so does what it imports.
    """
    shutil.copytree(STARTER, target, dirs_exist_ok=True)
    book, areas = Book(), areas_of(STARTER)
    shutil.copyfile(Path(__file__).with_name("recorder.py"), target / "__init__.py")
    for area in sorted(set(areas.values())):
        (target / area / "__init__.py").write_text(f'"""Tools: {area}."""\n', encoding="utf-8")
    for name, area in areas.items():
        recipe = book.candidate(name)
        (target / area / f"{name}.py").write_text(grouped(recipe.source, areas), encoding="utf-8")
        tests = target / ".forge" / name / f"test_{name}.py"
        tests.write_text(grouped(recipe.tests, areas), encoding="utf-8")


def areas_of(folder: Path) -> dict[str, str]:
    """Tool -> its area, from the records of a toolset."""
    records = sorted(folder.glob(".forge/*/record.json"))
    return {path.parent.name: json.loads(path.read_text(encoding="utf-8"))["moved"][-1] for path in records}


def grouped(source: str, areas: Mapping[str, str]) -> str:
    """`source` with its imports of other tools as they stand in areas."""

    def moved(found: re.Match[str]) -> str:
        return f"{found[1]}from tools.{areas[found[2]]}.{found[2]} import" if found[2] in areas else found[0]

    return re.sub(r"^(\s*)from tools\.(\w+) import", moved, source, flags=re.MULTILINE)


def build(
    target: Path, sandbox: Sandbox, names: Iterable[str] = (), heard: Heard = lambda _name, _report: None
) -> list[GateReport]:
    """Put recipes through the gate and into the toolset at `target`; those that are there unchanged are left alone.

    Args:
        target: folder of the toolset.
        sandbox: where they are tried.
        names: of recipes; all whose packages are installed if there are none.
        heard: told of each recipe with its report; None for one whose package is missing.

    Returns:
        The reports of those that were tried.
    """
    book, toolset = Book(), Toolset(target)
    reports = []
    with GateBench(sandbox, toolset) as bench:  # one for all: what a recipe imports is there for the next
        for name in names or book.contracts:
            candidate = book.candidate(name)
            if missing([candidate.contract.package]):
                heard(name, None)
                continue
            if toolset.has(name) and toolset.find(name).record.candidate_sha256 == candidate.sha256:
                continue
            report = bench.report(candidate)
            reports.append(report)
            if report.passed:
                toolset.admit(candidate, report, made_by="recipe book")
            heard(name, report)
    return reports
