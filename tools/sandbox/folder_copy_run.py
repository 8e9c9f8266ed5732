"""Confined work on a folder that exists: a copy goes in, and what the work made or changed comes back as plain files.

The command never sees the folder itself. What comes back is read without following a link, and written without
following one: a link that somebody planted in the folder leads nowhere.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from labwright.tools.errors import InputError
from labwright.tools.sandbox.base import Completed, Limits, Sandbox, Watch
from labwright.tools.sandbox.folder_copies import Print, Return, copy_in
from labwright.tools.sandbox.linux_calls import MEGABYTE
from labwright.tools.sandbox.work_folder_files import inner

HOME = ".scratch"  # caches and temporary files of the command; never copied in or out
LARGEST_MB = 2048  # of a folder that is copied in


@dataclass(frozen=True, slots=True)
class FolderRun:
    """What came of confined work on a folder.

    Attributes:
        completed: how the command ended.
        changed: relative paths of the files that it made or changed and that were written back.
        rejected: what was not written back: changes below the kept names, links and files with a second name, pipes,
            sockets and devices, names that cannot be shown (escaped), what is too large, and whatever would have had
            to be written through a link.
    """

    completed: Completed
    changed: list[str]
    rejected: list[str]


def run_in_folder(
    sandbox: Sandbox,
    argv: Sequence[str],
    folder: Path,
    *,
    keep: Sequence[str] = (),
    limits: Limits | None = None,
    on_output: Callable[[bytes], None] | None = None,
    on_error: Callable[[bytes], None] | None = None,
    cancelled: Callable[[], bool] | None = None,
    beside: Callable[[str, int], Callable[[], None]] | None = None,
) -> FolderRun:
    """Run a command on a copy of `folder`, then bring new and changed plain files back, however it ended.

    Where the level can, the command sees a ``/proc`` of its own processes and a ``/dev/shm``. A file that the command
    deletes stays in `folder`. A single file may have `Limits.file_mb`, all that comes back together four times that.

    Args:
        sandbox: of `open_sandbox`.
        argv: the command, with the copy as its working folder; ``python`` stands for this interpreter, and a script of
            the folder finds the modules beside it.
        folder: an existing folder; its links are not copied.
        keep: relative paths, files or folders, that must not change.
        limits: of the command; the defaults if None.
        on_output: hears the outputs as they come.
        on_error: hears standard error apart from standard output.
        cancelled: asked ten times a second; once true, the command is ended.
        beside: gets the command's home folder and user id before it begins, and gives what is called when it has ended.

    Raises:
        InputError: `folder` is none or too large, or a name in `keep` leads out of it.
        SandboxError: the walls could not be put up; nothing was run.
        OSError: a file could not be read or written for a reason that has nothing to do with the work, as a full disk.
    """
    limits = limits or Limits()
    kept = tuple(inner(name) for name in keep)
    if not folder.is_dir():
        raise InputError(f"The folder {folder} does not exist. Make it first.")
    before: dict[str, Print] = {}
    ends: list[Callable[[], None]] = []

    def fill(inside: str, user: int) -> None:
        before.update(copy_in(folder, inside, user, home=HOME, most=LARGEST_MB * MEGABYTE))
        ends.extend([beside(f"{inside}/{HOME}", user)] if beside else [])

    def empty(inside: str) -> tuple[list[str], list[str]]:
        return _brought_back(inside, folder, before, kept, limits.file_mb * MEGABYTE)

    watch = Watch(on_output, on_error, cancelled)
    try:
        done, (changed, rejected) = sandbox.with_proc().around(argv, fill, empty, limits=limits, home=HOME, watch=watch)
    finally:
        for end in ends:
            end()
    return FolderRun(done, changed, rejected)


def _brought_back(
    inside: str, outside: Path, before: Mapping[str, Print], kept: tuple[str, ...], most: int
) -> tuple[list[str], list[str]]:
    back = Return(outside, before, kept, most)
    back.take_all(inside, skip=(HOME,))
    return back.changed, back.rejected
