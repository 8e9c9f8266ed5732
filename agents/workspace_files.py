"""The tools of a model at work for files and the shell: few, short, and all of them end in the workspace."""

from __future__ import annotations

import dataclasses
import shlex
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from pydantic import BaseModel

from labwright.agents.viewing_log import Looks
from labwright.tools.errors import InputError
from labwright.tools.workspace.workspace import Workspace, shortened

BY_SCRIPTS = "{} is written by scripts, not by hand: let a script compute what belongs there, and run it."
MOST_SECONDS = 600  # of a command that is no job
MOST_HITS = 200
_BY_THEMSELVES = {"__pycache__", ".ruff_cache", ".pytest_cache", ".mypy_cache", ".cache", ".config"}


class Edit(BaseModel):
    """A text that occurs once, and what stands there instead."""

    old: str
    new: str


def reading_tools(workspace: Workspace, looks: Looks) -> list[Callable[..., str]]:
    """What every agent may do; what is read is noted in `looks`."""

    def read_file(path: str, first: int = 1, lines: int = 400) -> str:
        """Read lines of a text file, from line `first`."""
        name = inner(path)
        try:
            part = workspace.files.read(name, max(1, first), lines)
        except InputError as wrong:
            raise InputError(
                f"{wrong} For a figure use view_image." if name.endswith(".png") else str(wrong)
            ) from wrong
        looks.read.append(name)
        last = part.first + part.text.count("\n")
        more = f"\n[line {last} of {part.total}]" if last < part.total else ""
        return shortened(part.text) + more if part.text else "[empty]"

    def list_files(path: str = "", pattern: str = "") -> str:
        """List a folder; with a pattern such as *.py, all files below it that match."""
        files = workspace.files
        found = files.files(inner(path), pattern) if pattern else files.entries(inner(path))
        return shortened(
            "\n".join(f"{one.path}/" if one.folder else f"{one.path} {one.size}" for one in found) or "[none]"
        )

    def grep(text: str, path: str = "", pattern: str = "") -> str:
        """Find lines that hold a text, literally, in files below `path` (all, or those that match a pattern)."""
        hits = workspace.files.grep(text, inner(path), pattern)
        more = [f"[{len(hits) - MOST_HITS} more]"] if len(hits) > MOST_HITS else []
        return shortened(
            "\n".join([*(f"{hit.path}:{hit.line}: {hit.text[:400]}" for hit in hits[:MOST_HITS]), *more]) or "[none]"
        )

    return [read_file, list_files, grep]


def writing_tools(workspace: Workspace, computed: Sequence[str]) -> list[Callable[..., str]]:
    """Writing and editing, but for files that scripts compute."""

    def write_file(path: str, text: str) -> str:
        """Write a whole file."""
        workspace.files.write(_by_hand(path, computed), text)
        return "Written."

    def edit_file(path: str, edits: list[Edit]) -> str:
        """Replace texts in a file, in order; each `old` occurs exactly once. All of them are made, or none."""
        name = _by_hand(path, computed)
        made = workspace.files.text(name)
        for number, edit in enumerate(edits, 1):
            if (count := made.count(edit.old)) != 1 or not edit.old:
                raise InputError(f"Edit {number}: `old` occurs {count} times in {name}, not once. Nothing was changed.")
            made = made.replace(edit.old, edit.new)
        workspace.files.write(name, made)
        return f"{len(edits)} made."

    return [write_file, edit_file]


def _by_hand(path: str, computed: Sequence[str]) -> str:
    if inner(path) in computed:
        raise InputError(BY_SCRIPTS.format(inner(path)))
    return inner(path)


def running_tools(workspace: Workspace, looks: Looks, jobs: bool) -> list[Callable[..., str]]:
    """The shell."""

    def execute(command: str, seconds: int = 0) -> str:
        """Run a shell command in the workspace, at most 600 seconds; `python` is the one with the packages."""
        wall = float(min(seconds, MOST_SECONDS)) if seconds > 0 else workspace.limits.wall_seconds
        limits = dataclasses.replace(workspace.limits, wall_seconds=wall, cpu_seconds=wall)
        folder = shlex.quote(str(Path(sys.executable).parent))
        ran = workspace.run(["bash", "-c", f'PATH={folder}:"$PATH"\n{command}'], limits=limits)
        done = ran.completed
        if done.ending == "ok":
            looks.ran.append(command)
        said = [part for part in (text(done.stdout), text(done.stderr)) if part]
        if done.ending not in ("ok", "failed"):
            mend = "Longer work belongs into a job." if jobs else "Take a smaller case."
            said.append(f"[ended: {done.ending} after {done.seconds:.0f} s of at most {wall:.0f} s. {mend}]")
        if lost := worth_telling(ran.rejected):
            said.append(f"[not kept, because it may not be written here: {', '.join(lost[:20])}]")
        return f"{shortened(chr(10).join(said))}\n[exit code {done.returncode}]".lstrip()

    return [execute]


def inner(path: str) -> str:
    """A path as a model may write it, as one of the workspace; what leads out is refused there."""
    return path.lstrip("/")


def worth_telling(rejected: Sequence[str]) -> list[str]:
    """What was not kept, without the caches and logs that programs leave by themselves."""
    return [path for path in rejected if not (_BY_THEMSELVES & set(path.split("/")) or path.endswith(".jsonl"))]


def text(output: bytes) -> str:
    """What a program wrote."""
    return output.decode(errors="replace").rstrip()
