"""The tools that come with Labwright: ``toolbox/<area>/<tool>/`` with contract, source, tests and the gate's record.

They lie beside the toolset of every run, as a second shelf, and a tool of the same name in the toolset goes before. For
rules, which invent no tool, they are also the drafts that can be put through the gate into a toolset without them.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cached_property, lru_cache
from pathlib import Path

import yaml
from pydantic import ValidationError

from labwright.tools.atomic_files import write_atomic
from labwright.tools.errors import CorruptRecordError, InputError
from labwright.tools.forge.toolset.contract import Candidate, ToolContract
from labwright.tools.forge.toolset.gate_findings import GateReport
from labwright.tools.forge.toolset.optional_dependencies import missing
from labwright.tools.forge.toolset.stored_tool import Tool, ToolRecord, sha256
from labwright.tools.plain_yaml import read_yaml

FOLDER = Path(__file__).resolve().parents[1] / "toolbox"
CONTRACT, RECORD, AREAS = "contract.yaml", "record.json", "areas.yaml"
MADE_BY = "Labwright"
Heard = Callable[[str, GateReport | None], None]


@dataclass(frozen=True)
class Toolbox:
    """Tools by name.

    Attributes:
        folder: of the areas.
    """

    folder: Path = field(default=FOLDER)

    @cached_property
    def places(self) -> dict[str, Path]:
        """Tool -> its folder."""
        return {path.parent.name: path.parent for path in sorted(self.folder.glob(f"*/*/{CONTRACT}"))}

    @cached_property
    def contracts(self) -> dict[str, ToolContract]:
        """Tool -> its contract.

        Raises:
            CorruptRecordError: a contract does not read, or bears another name than its folder.
        """
        return {name: _contract(path / f"{name}.py") for name, path in self.places.items()}

    @cached_property
    def about(self) -> dict[str, str]:
        """Area -> one line about it."""
        path = self.folder / AREAS
        return dict(read_yaml(path.read_text(encoding="utf-8"))) if path.is_file() else {}

    @cached_property
    def tools(self) -> list[Tool]:
        """All that the gate has admitted as they are now, by name.

        Raises:
            CorruptRecordError: a file is missing or does not read, or a tool was changed after it had passed.
        """
        return [self._tool(name) for name in sorted(self.places) if (self.places[name] / RECORD).is_file()]

    def find(self, name: str) -> ToolContract | None:
        """The contract of a tool, or None."""
        return self.contracts.get(name)

    def candidate(self, name: str) -> Candidate:
        """A tool as a draft for the gate.

        Raises:
            InputError: there is no such tool.
            CorruptRecordError: a file of it is missing.
        """
        if name not in self.places:
            raise InputError(f"The toolbox has no {name!r}; `labwright toolset list` shows what there is.")
        return draft_at(self.places[name] / f"{name}.py")

    def prove(
        self, sandbox: object, names: Iterable[str] = (), heard: Heard = lambda _name, _report: None, keep: bool = False
    ) -> list[GateReport]:
        """Put tools through the gate.

        Args:
            sandbox: a `Sandbox`, where they are tried.
            names: all whose packages are installed if there are none.
            heard: told of each with its report; None for one whose package is missing.
            keep: whether to write the record of each that passes.

        Returns:
            The reports of those that were tried.
        """
        from labwright.tools.forge.gate import GateBench

        reports = []
        with GateBench(sandbox) as bench:  # type: ignore[arg-type]
            for name in names or self.contracts:
                candidate = self.candidate(name)
                if missing([candidate.contract.package]):
                    heard(name, None)
                    continue
                report = bench.report(candidate)
                reports.append(report)
                if keep and report.passed:
                    self._record(name, report)
                heard(name, report)
        return reports

    def _record(self, name: str, report: GateReport) -> None:
        now = datetime.now(UTC).isoformat(timespec="seconds")
        kept = {"version": 1, "candidate_sha256": report.candidate_sha256, "admitted": now, "report": report.plain()}
        write_atomic(self.places[name] / RECORD, (json.dumps(kept, indent=1, ensure_ascii=False) + "\n").encode())

    def _tool(self, name: str) -> Tool:
        candidate, kept = self.candidate(name), json.loads((self.places[name] / RECORD).read_text(encoding="utf-8"))
        if kept["candidate_sha256"] != candidate.sha256:
            raise CorruptRecordError(f"The tool {name} was changed after the gate passed it. Install Labwright anew.")
        record = ToolRecord(
            contract=candidate.contract,
            source_sha256=sha256(candidate.source.encode()),
            tests_sha256=sha256(candidate.tests.encode()),
            made_by=MADE_BY,
            **kept,
        )
        return Tool(name, self.places[name].parent.name, record, candidate.source, candidate.tests)


def draft_at(file: Path) -> Candidate:
    """The draft in ``NAME.py``, with ``test_NAME.py`` and ``contract.yaml`` beside it.

    Raises:
        CorruptRecordError: one of them is missing or does not read, or the contract is that of another tool.
    """
    return Candidate(_contract(file), _read(file), _read(file.with_name(f"test_{file.name}")))


def _contract(file: Path) -> ToolContract:
    try:
        made = _contract_in(_read(file.with_name(CONTRACT))).model_copy(deep=True)
    except (ValidationError, yaml.YAMLError) as wrong:
        raise CorruptRecordError(f"The tool {file.stem} has a contract that does not read: {wrong}") from wrong
    if made.name != file.stem:
        raise CorruptRecordError(f"The contract beside {file.name} is that of {made.name}.")
    return made


@lru_cache(maxsize=256)
def _contract_in(text: str) -> ToolContract:
    return ToolContract.model_validate(read_yaml(text))


def _read(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise CorruptRecordError(f"There is no {file}: a tool is NAME.py, test_NAME.py and {CONTRACT}.") from None
