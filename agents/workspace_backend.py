"""A workspace as deepagents sees a disk: its file tools and its shell end here, and nowhere else."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from deepagents.backends.protocol import (
    EditResult,
    ExecuteResponse,
    FileDownloadResponse,
    FileUploadResponse,
    GlobResult,
    GrepResult,
    LsResult,
    ReadResult,
    SandboxBackendProtocol,
    WriteResult,
)

from labwright.agents.looks import Looks
from labwright.tools.errors import InputError, ToolError
from labwright.tools.forge.files import Part
from labwright.tools.forge.workspace import MOST_OUTPUT, Workspace, shortened

if TYPE_CHECKING:
    from deepagents.backends.protocol import FileInfo, GrepMatch

BY_SCRIPTS = "{} is written by scripts, not by hand: let a script compute what belongs there, and run it."
MOST_SECONDS = 600  # of a command that is no job
_BY_THEMSELVES = {"__pycache__", ".ruff_cache", ".pytest_cache", ".mypy_cache", ".cache", ".config"}
KEPT_IN_MEMORY = ("conversation_history", "large_tool_results")  # deepagents' own notes; they are nobody's results


class WorkspaceBackend(SandboxBackendProtocol):
    """Paths begin with a slash that stands for the workspace; every fault comes back as text for the model."""

    def __init__(
        self, workspace: Workspace, jobs: bool = False, looks: Looks | None = None, computed: Sequence[str] = ()
    ) -> None:
        self.workspace = workspace
        self._looks = Looks() if looks is None else looks
        self._jobs = jobs and workspace.jobs is not None
        self._notes: dict[str, str] = {}
        self._computed = tuple(computed)

    @property
    def id(self) -> str:
        """Of this workspace."""
        return self.workspace.folder.name

    def ls(self, path: str) -> LsResult:
        """See `BackendProtocol.ls`."""
        try:
            entries = self.workspace.files.entries(inner(path))
        except InputError as wrong:
            return LsResult(error=str(wrong))
        listed: list[FileInfo] = [
            {"path": f"/{one.path}{'/' if one.folder else ''}", "is_dir": one.folder, "size": one.size}
            for one in entries
        ]
        return LsResult(entries=listed)

    def read(self, file_path: str, offset: int = 0, limit: int = 2000) -> ReadResult:
        """See `BackendProtocol.read`. A picture is not read but looked at."""
        if limit <= 0:
            return ReadResult(file_data={"content": "", "encoding": "utf-8"}, no_lines_requested=True)
        path = inner(file_path)
        try:
            part = self._note(path, offset) or self.workspace.files.read(path, max(0, offset) + 1, limit)
        except InputError as wrong:
            return ReadResult(error=f"{wrong} For a figure use view_image." if path.endswith(".png") else str(wrong))
        self._looks.read.append(path)
        if not part.text:
            return ReadResult(file_data={"content": "", "encoding": "utf-8"})
        last = part.first + part.text.count("\n")
        return ReadResult(
            file_data={"content": part.text, "encoding": "utf-8"},
            total_lines=part.total,
            start_line=part.first,
            end_line=last,
            next_offset=last if last < part.total else None,
        )

    def write(self, file_path: str, content: str) -> WriteResult:
        """See `BackendProtocol.write`."""
        path = inner(file_path)
        if path.startswith(KEPT_IN_MEMORY):
            self._notes[path] = content
            return WriteResult(path=file_path)
        if path in self._computed:
            return WriteResult(error=BY_SCRIPTS.format(path))
        try:
            self.workspace.files.write(path, content)
        except (InputError, OSError) as wrong:
            return WriteResult(error=str(wrong))
        return WriteResult(path=file_path)

    def edit(self, file_path: str, old_string: str, new_string: str, replace_all: bool = False) -> EditResult:
        """See `BackendProtocol.edit`."""
        if inner(file_path) in self._computed:
            return EditResult(error=BY_SCRIPTS.format(inner(file_path)))
        try:
            count = self.workspace.files.edit(inner(file_path), old_string, new_string, every=replace_all)
        except (InputError, OSError) as wrong:
            return EditResult(error=str(wrong))
        return EditResult(path=file_path, occurrences=count)

    def glob(self, pattern: str, path: str | None = None) -> GlobResult:
        """See `BackendProtocol.glob`."""
        try:
            found = self.workspace.files.files(inner(path or "/"), pattern)
        except InputError as wrong:
            return GlobResult(error=str(wrong))
        return GlobResult(matches=[{"path": f"/{one.path}", "is_dir": False, "size": one.size} for one in found])

    def grep(
        self, pattern: str, path: str | None = None, glob: str | None = None, *, max_count: int | None = None
    ) -> GrepResult:
        """See `BackendProtocol.grep`."""
        try:
            hits = self.workspace.files.grep(pattern, inner(path or "/"), glob or "")
        except InputError as wrong:
            return GrepResult(error=str(wrong))
        most = min(max_count or 200, 200)
        matches: list[GrepMatch] = [
            {"path": f"/{hit.path}", "line": hit.line, "text": hit.text[:400]} for hit in hits[:most]
        ]
        return GrepResult(matches=matches, truncated=len(hits) > most)

    def execute(self, command: str, *, timeout: int | None = None) -> ExecuteResponse:
        """See `SandboxBackendProtocol.execute`: a shell in the sandbox, with this interpreter first on its path."""
        import dataclasses

        seconds = float(min(timeout, MOST_SECONDS)) if timeout else self.workspace.limits.wall_seconds
        limits = dataclasses.replace(self.workspace.limits, wall_seconds=seconds, cpu_seconds=seconds)
        folder = shlex.quote(str(Path(sys.executable).parent))
        try:
            ran = self.workspace.run(["bash", "-c", f'PATH={folder}:"$PATH"\n{command}'], limits=limits)
        except ToolError as wrong:
            return ExecuteResponse(output=str(wrong), exit_code=1)
        done = ran.completed
        if done.ending == "ok":
            self._looks.ran.append(command)
        said = "\n".join(part for part in (text(done.stdout), text(done.stderr)) if part)
        if done.ending not in ("ok", "failed"):
            mend = "Longer work belongs into a job." if self._jobs else "Take a smaller case."
            said += f"\n[ended: {done.ending} after {done.seconds:.0f} s of at most {seconds:.0f} s. {mend}]"
        if lost := worth_telling(ran.rejected):
            said += f"\n[not kept, because it may not be written here: {', '.join(lost[:20])}]"
        return ExecuteResponse(shortened(said), exit_code=done.returncode, truncated=len(said) > MOST_OUTPUT)

    def upload_files(self, files: list[tuple[str, bytes]]) -> list[FileUploadResponse]:
        """Nothing comes in this way."""
        return [FileUploadResponse(path, error="permission_denied") for path, _ in files]

    def download_files(self, paths: list[str]) -> list[FileDownloadResponse]:
        """Text that was put aside; nothing else leaves this way."""
        return [
            FileDownloadResponse(path, content=self._notes[inner(path)].encode())
            if inner(path) in self._notes
            else FileDownloadResponse(path, error="file_not_found")
            for path in paths
        ]

    def _note(self, path: str, offset: int) -> Part | None:
        if path not in self._notes:
            return None
        lines = self._notes[path].splitlines()
        return Part("\n".join(lines[max(0, offset) :][:2000]), max(0, offset) + 1, len(lines))


def inner(path: str) -> str:
    """A path from the root that the model sees, as a path of the workspace; what leads out is refused there."""
    return path.lstrip("/")


def worth_telling(rejected: Sequence[str]) -> list[str]:
    """What was not kept, without the caches and logs that programs leave by themselves."""
    return [path for path in rejected if not (_BY_THEMSELVES & set(path.split("/")) or path.endswith(".jsonl"))]


def text(output: bytes) -> str:
    """What a program wrote."""
    return output.decode(errors="replace").rstrip()
