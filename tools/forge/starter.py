"""The toolset that comes with the package: recipes of the book that passed the gate when it was built."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable
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
        InputError: the folder holds something already, or no tools came with this installation.
    """
    if not STARTER.is_dir():
        raise InputError("No tools came with this installation. Build some: labwright toolset build FOLDER")
    if target.exists() and any(target.iterdir()):
        raise InputError(f"Folder {target} is not empty. Name a new one, or use what is there.")
    shutil.copytree(STARTER, target, dirs_exist_ok=True, ignore=shutil.ignore_patterns("__pycache__", "lease"))
    return Toolset(target)


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
