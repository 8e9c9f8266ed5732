"""A toolset: admitted tools in folders, with their tests, records and versions; it outlasts runs.

The tools that come with Labwright may lie beside it, as a second shelf that nobody changes.

Layout below its folder: ``INDEX.md``, ``__init__.py`` (the recorder), ``<tool>.py``, ``<folder>/...`` the same, and
``.forge/<tool>/{test_<tool>.py, record.json, versions/, usage.jsonl}``.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath

from labwright.tools.errors import CorruptRecordError, InputError, LeaseError
from labwright.tools.forge.toolset import client
from labwright.tools.forge.toolset.builtin_tools import Toolbox
from labwright.tools.forge.toolset.contract import Candidate
from labwright.tools.forge.toolset.file_transaction import apply_changes, recover
from labwright.tools.forge.toolset.gate_findings import GateReport
from labwright.tools.forge.toolset.listing import describe, folders, index
from labwright.tools.forge.toolset.stored_tool import (
    HIDDEN,
    BrokenTool,
    Tool,
    ToolRecord,
    read_record,
    read_tool_at,
    sha256,
    stamps,
    tool_files,
)
from labwright.tools.process_file_lock import Lease

PATIENCE_SECONDS = 30.0
WORDS = f"{HIDDEN}/folders.json"  # folder -> one line about it


class Toolset:
    """The tools in a folder. Two processes may use one folder at once; every change is whole or not at all."""

    def __init__(self, folder: Path | str, shipped: Toolbox | None = None) -> None:
        self.folder, self._shipped = Path(folder), shipped
        self._known: dict[PurePosixPath, tuple[object, Tool | BrokenTool]] = {}

    # Looking

    def names(self) -> list[str]:
        """Of all tools that may be used, in order."""
        return [one.name for one in self.tools()]

    def tools(self) -> list[Tool]:
        """All tools that may be used, by name; its own go before those that come with Labwright."""
        own = self.own()
        known = {one.name for one in own}
        beside = self._shipped.tools if self._shipped else ()
        return sorted([*own, *(one for one in beside if one.name not in known)], key=lambda one: one.name)

    def own(self) -> list[Tool]:
        """Those that lie in its folder, by name."""
        return self._read()[0]

    def broken(self) -> list[BrokenTool]:
        """Files and records that are not offered, and why."""
        return self._read()[1]

    def find(self, name: str) -> Tool:
        """The tool of that name.

        Raises:
            InputError: there is none, or it is broken; says why.
        """
        paths = [path for path in tool_files(self.folder) if path.stem == name]
        if not paths and (shipped := next((one for one in self.tools() if one.name == name), None)):
            return shipped
        found = read_tool_at(self.folder, paths[0]) if len(paths) == 1 else None
        if isinstance(found, Tool):
            return found
        if isinstance(found, BrokenTool):
            raise InputError(f"The tool {name!r} cannot be used. {found.reason}")
        if paths:
            raise InputError(f"The tool {name!r} lies in {len(paths)} folders. Keep one of them.")
        raise InputError(f"The toolset has no tool {name!r}. Look into its listing.")

    def has(self, name: str) -> bool:
        """Whether there is such a tool and it may be used."""
        return name in self.names()

    def listing(self, folder: str = "") -> str:
        """``INDEX.md`` of one folder: what lies directly in it.

        Raises:
            InputError: there is no such folder.
        """
        tools = self.tools()
        wanted = folder.strip("/")
        if wanted not in folders(tools):
            raise InputError(f"The toolset has no folder {folder!r}. It has {', '.join(folders(tools)[1:]) or 'none'}.")
        return index(tools, wanted, self._words())

    def describe(self, name: str) -> str:
        """A tool's contract, signature and fields; not its body."""
        return describe(self.find(name))

    def files(self) -> dict[str, bytes]:
        """Everything of ``tools/`` in a workspace: sources, ``__init__.py`` with the recorder, ``INDEX.md``."""
        if not os.access(self.folder, os.W_OK):  # shipped with the package: nobody changes it meanwhile
            return files_of(self.tools(), self._words())
        with self.held():
            return files_of(self.tools(), self._words())

    # Changing

    def admit(self, candidate: Candidate, report: GateReport, made_by: str, folder: str | None = None) -> Tool:
        """Take a candidate in; where its name is taken, it becomes that tool's next version.

        Args:
            candidate: the draft.
            report: of the gate, about this very draft.
            made_by: a mind, a person or a recipe.
            folder: to put it into; the root, or where the earlier version lies, if None.

        Raises:
            InputError: the report is not of this draft, or it did not pass.
        """
        if not report.fits(candidate):
            raise InputError(f"The gate's report is not about this draft of {candidate.name!r}. Run the gate on it.")
        if not report.passed:
            first = str(report.findings[0]) if report.findings else ""
            raise InputError(f"The gate did not let {candidate.name!r} in. {first}".strip())
        with self.held():
            return self._admit(candidate, report, made_by, folder)

    def _admit(self, candidate: Candidate, report: GateReport, made_by: str, folder: str | None) -> Tool:
        name, before = candidate.name, [path for path in tool_files(self.folder) if path.stem == candidate.name]
        if len(before) > 1:
            raise InputError(f"The tool {name!r} lies in {len(before)} folders. Keep one of them.")
        known = next((one for one in self.tools() if one.name == name), None)
        place = folder if folder is not None else known.folder if known else ""
        earlier = [int(path.stem) for path in (self.folder / HIDDEN / name / "versions").glob("*.json")]
        version = 1 + max([*earlier, known.record.version if known else 0])
        record = ToolRecord(
            contract=candidate.contract,
            version=version,
            source_sha256=sha256(candidate.source.encode()),
            tests_sha256=sha256(candidate.tests.encode()),
            candidate_sha256=candidate.sha256,
            made_by=made_by,
            admitted=datetime.now(UTC).isoformat(timespec="seconds"),
            report=report.plain(),
        )
        tool = Tool(name, place, record, candidate.source, candidate.tests)
        changes: dict[str, bytes | None] = {str(path): None for path in before}
        changes |= tool.files
        kept = {"source": tool.source, "tests": tool.tests, "record": record.model_dump(mode="json")}
        changes[f"{HIDDEN}/{name}/versions/{version:04d}.json"] = json.dumps(kept).encode()
        self.change(changes, [*(one for one in self.own() if one.name != name), tool])
        return tool

    def record_use(self, name: str, run_id: str) -> None:
        """Note that a run used a tool.

        Raises:
            InputError: there is no record of such a tool.
        """
        if not self.has(name) and not (self.folder / HIDDEN / name / "record.json").exists():
            raise InputError(f"The toolset has no tool {name!r}.")
        line = json.dumps({"run": run_id, "at": datetime.now(UTC).isoformat(timespec="seconds")}) + "\n"
        path = self.folder / HIDDEN / name / "usage.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
        try:
            os.write(descriptor, line.encode())  # one write: two processes' lines do not mix
        finally:
            os.close(descriptor)

    def uses(self, name: str) -> list[dict[str, str]]:
        """The runs that used a tool, oldest first."""
        path = self.folder / HIDDEN / name / "usage.jsonl"
        return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []

    def change(
        self, changes: Mapping[str, bytes | None], tools: Sequence[Tool], words: Mapping[str, str] | None = None
    ) -> None:
        """Apply changes of files with the indexes that follow from them. For whoever holds the lease.

        Args:
            changes: relative path -> content, None to delete.
            tools: of the toolset afterwards.
            words: folder -> one line about it, where that changes.
        """
        said = {**self._words(), **(words or {})}
        made, sources = files_of(tools, said), {one.path for one in tools}
        wanted = {path: data for path, data in made.items() if path not in sources}
        stale = [path for path in self._generated() if path not in wanted]
        about = {WORDS: json.dumps({**self._own_words(), **words}, indent=1).encode()} if words else {}
        apply_changes(self.folder, {**changes, **wanted, **about, **dict.fromkeys(stale)})

    # Inside

    @contextmanager
    def held(self) -> Iterator[None]:
        """The lease of the toolset: nobody else changes it meanwhile."""
        lease = Lease(self.folder / HIDDEN / "lease", f"The toolset {self.folder}")
        deadline = time.monotonic() + PATIENCE_SECONDS
        while True:
            try:
                lease.acquire()
                break
            except LeaseError:
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.05)
        try:
            recover(self.folder)
            yield
        finally:
            lease.release()

    def _read(self) -> tuple[list[Tool], list[BrokenTool]]:
        tools: dict[str, Tool] = {}
        broken: list[BrokenTool] = []
        for path in tool_files(self.folder):
            found = self._read_one(path)
            if isinstance(found, BrokenTool):
                broken.append(found)
            elif found.name in tools:
                other = tools.pop(found.name)
                reason = f"It lies in two folders, {other.folder or 'the root'} and {found.folder or 'the root'}."
                broken.append(BrokenTool(found.name, str(path), reason))
            else:
                tools[found.name] = found
        there = set(tools) | {one.name for one in broken}
        broken += self._lost(there)
        return sorted(tools.values(), key=lambda one: one.name), broken

    def _read_one(self, path: PurePosixPath) -> Tool | BrokenTool:
        """The tool in a file; read again only if one of its three files has another time, size or place on disk."""
        marks = stamps(self.folder, path)
        known = self._known.get(path)
        if known is None or known[0] != marks:
            known = self._known[path] = (marks, read_tool_at(self.folder, path))
        return known[1]

    def _lost(self, there: set[str]) -> Iterator[BrokenTool]:
        for path in sorted((self.folder / HIDDEN).glob("*/record.json")):
            name = path.parent.name
            if name in there:
                continue
            try:
                read_record(self.folder, name)
                reason = "Its file is missing."
            except (CorruptRecordError, OSError) as wrong:
                reason = str(wrong)
            yield BrokenTool(name, str(path.relative_to(self.folder)), reason)

    def _words(self) -> dict[str, str]:
        return {**(self._shipped.about if self._shipped else {}), **self._own_words()}

    def _own_words(self) -> dict[str, str]:
        path = self.folder / WORDS
        return dict(json.loads(path.read_bytes())) if path.exists() else {}

    def _generated(self) -> list[str]:
        """Indexes and package files that lie in the toolset now."""
        found = [*self.folder.rglob("INDEX.md"), *self.folder.rglob("__init__.py")]
        paths = [path.relative_to(self.folder) for path in found]
        return [str(path) for path in paths if not any(part.startswith(".") for part in path.parts)]


def files_of(tools: Sequence[Tool], words: Mapping[str, str]) -> dict[str, bytes]:
    """Relative path -> content of sources, package files, indexes and the versions that tools were admitted with."""
    made = {one.path: one.source.encode() for one in tools}
    versions = {one.name: one.record.report.get("versions", {}) for one in tools}
    made[client.VERSIONS] = (json.dumps(versions, indent=1, sort_keys=True) + "\n").encode()
    for folder in folders(tools):
        prefix = f"{folder}/" if folder else ""
        made[f"{prefix}INDEX.md"] = index(tools, folder, words).encode()
        own = f'"""Tools: {folder}."""\n'.encode()
        made[f"{prefix}__init__.py"] = own if folder else Path(client.__file__).read_bytes()
    return made
