"""One tool of a toolset: its record, where it lies, and what keeps a file from being offered as a tool."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from pydantic import BaseModel, Field, ValidationError

from labwright.tools.errors import CorruptRecordError
from labwright.tools.forge.toolset.contract import Candidate, ToolContract
from labwright.tools.forge.toolset.tool_source import parse

HIDDEN = ".forge"
NOT_TOOLS = ("__init__.py", "conftest.py")


class ToolRecord(BaseModel, extra="ignore"):  # earlier versions wrote more
    """``.forge/<tool>/record.json``: how a tool came in, and what exactly came in.

    Attributes:
        source_sha256: of the file as it lies in the toolset now.
        tests_sha256: of the tests as they lie now.
        candidate_sha256: of what passed the gate.
        report: `GateReport.plain` of the gate that it passed.
        moved: folders it was moved to since, with only its imports rewritten.
    """

    contract: ToolContract
    version: int
    source_sha256: str
    tests_sha256: str
    candidate_sha256: str
    made_by: str
    admitted: str
    report: dict[str, Any]
    moved: list[str] = Field(default_factory=list)

    def to_bytes(self) -> bytes:
        """The file's content."""
        return (json.dumps(self.model_dump(mode="json"), indent=1, ensure_ascii=False) + "\n").encode()


@dataclass(frozen=True, slots=True)
class Tool:
    """An admitted tool.

    Attributes:
        folder: where it lies in the toolset, such as ``dynamics``; empty at the root.
        source: of its file.
        tests: of its tests.
    """

    name: str
    folder: str
    record: ToolRecord
    source: str
    tests: str

    @property
    def contract(self) -> ToolContract:
        """What it was asked to be."""
        return self.record.contract

    @property
    def module(self) -> str:
        """To import it from, such as ``tools.plotting.plot_lines``."""
        return ".".join(["tools", *PurePosixPath(self.folder).parts, self.name])

    @property
    def path(self) -> str:
        """Of its file in the toolset."""
        return f"{self.folder}/{self.name}.py".lstrip("/")

    @property
    def files(self) -> dict[str, bytes | None]:
        """Path in the toolset -> content of all its files."""
        return {
            self.path: self.source.encode(),
            f"{HIDDEN}/{self.name}/test_{self.name}.py": self.tests.encode(),
            f"{HIDDEN}/{self.name}/record.json": self.record.to_bytes(),
        }

    @property
    def candidate(self) -> Candidate:
        """What the gate would look at."""
        return Candidate(self.contract, self.source, self.tests)


@dataclass(frozen=True, slots=True)
class BrokenTool:
    """A file or a record that is not offered, and why; nothing else of the toolset suffers from it."""

    name: str
    path: str
    reason: str


def sha256(content: bytes) -> str:
    """Hexadecimal."""
    return hashlib.sha256(content).hexdigest()


def tool_files(root: Path) -> Iterator[PurePosixPath]:
    """Python files of a toolset, relative to it, in order; links and hidden folders are not looked into."""
    waiting = [root]
    while waiting:
        folder = waiting.pop()
        for path in sorted(folder.iterdir()) if folder.is_dir() else []:
            if path.name.startswith((".", "__pycache__")):
                continue
            if path.is_dir() and not path.is_symlink():
                waiting.append(path)
            elif path.suffix == ".py" and path.name not in NOT_TOOLS:
                yield PurePosixPath(path.relative_to(root))


def read_record(root: Path, name: str) -> ToolRecord:
    """The record of a tool.

    Raises:
        FileNotFoundError: there is none.
        CorruptRecordError: it does not read back.
    """
    path = root / HIDDEN / name / "record.json"
    try:
        return ToolRecord.model_validate_json(path.read_bytes())
    except ValidationError as wrong:
        raise CorruptRecordError(f"Its record cannot be read: {wrong.errors()[0]['msg']}.") from wrong


def stamps(root: Path, path: PurePosixPath) -> tuple[object, ...]:
    """What changes when a file of a tool is written anew: inode, size and times of each; None if absent."""
    name = path.stem
    found: list[object] = []
    for file in (root / path, root / HIDDEN / name / "record.json", root / HIDDEN / name / f"test_{name}.py"):
        try:
            seen = file.lstat()
            found.append((seen.st_ino, seen.st_size, seen.st_mtime_ns, seen.st_ctime_ns))
        except OSError:
            found.append(None)
    return tuple(found)


def read_tool_at(root: Path, path: PurePosixPath) -> Tool | BrokenTool:
    """The tool in a file of the toolset, or why it is none."""
    name = path.stem
    real = root / path
    if real.is_symlink():
        return BrokenTool(name, str(path), "It is a link; only plain files are tools.")
    try:
        record, source = read_record(root, name), real.read_bytes()
        tests = (root / HIDDEN / name / f"test_{name}.py").read_bytes()
    except FileNotFoundError as absent:
        what = "tests" if Path(str(absent.filename)).name.startswith("test_") else "record"
        return BrokenTool(name, str(path), f"It has no {what}: it did not come through the gate.")
    except (CorruptRecordError, OSError) as wrong:
        return BrokenTool(name, str(path), str(wrong))
    if reason := _spoilt(record, source, tests):
        return BrokenTool(name, str(path), reason)
    folder = "" if path.parent == PurePosixPath() else str(path.parent)
    return Tool(name, folder, record, source.decode(), tests.decode())


def _spoilt(record: ToolRecord, source: bytes, tests: bytes) -> str:
    again = "Let it pass the gate again."
    if sha256(source) != record.source_sha256:
        try:
            parse(source.decode(), record.contract.name)
        except (SyntaxError, UnicodeDecodeError) as wrong:
            return f"It does not parse: {wrong}. {again}"
        return f"It was changed after it had passed the gate. {again}"
    if sha256(tests) != record.tests_sha256:
        return f"Its tests were changed after it had passed the gate. {again}"
    return ""
