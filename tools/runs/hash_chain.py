"""What a run wrote, by hash: ``files.jsonl``, sealed and chained like the events."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from labwright.tools.atomic_files import PRIVATE, staged, sync_folder, write_atomic
from labwright.tools.errors import CorruptRecordError, ForeignRunError
from labwright.tools.runs.events import EventLog
from labwright.tools.runs.hashed_files import sha256_of
from labwright.tools.runs.log_heads import Head
from labwright.tools.runs.seals import bound_name
from labwright.tools.runs.spending import USAGE, take_over

EVENTS, FILES, RECORD = "events.jsonl", "files.jsonl", "run.json"
GRANTS = "grants"  # folder of a person's approvals of single measurements
ABSENT = ""  # the hash of a file that is not there
# In a run's folder, but not of its chain: what changes all the time, what another program writes, and what has a seal
# or digests of its own.
APART = frozenset(
    {EVENTS, FILES, "lease", USAGE, "pause.json", "error.txt", "sign_off.json", "device_time.jsonl", "device",
     "acquired", "jobs", "workspace", "workspace.tools.json", "toolset", "parts"}
)  # fmt: skip


def log_of(folder: Path, name: str) -> EventLog:
    """The log `name` of the run in `folder`."""
    return EventLog(folder / name, f"{bound_name(folder)}/{name}")


@dataclass(frozen=True, slots=True)
class Chain:
    """The files of the run in `folder`, as they were written."""

    folder: Path

    def write(self, name: str, content: bytes, *, sync: bool = True) -> str:
        """Record and write `content` to the file `name` below the run's folder; returns its hash.

        The content comes first, in a temporary file, then the record, then the file's name: a file that is there and
        not in the chain was written by another program, and one that is recorded and absent was taken away unless its
        temporary file still lies there.
        """
        digest = sha256_of(content)
        ready = None if name in APART else lambda: self._log.append({"file": name, "sha256": digest})
        write_atomic(self.folder / name, content, sync=sync, mode=PRIVATE, ready=ready)
        return digest

    def keep(self, *paths: Path) -> None:
        """Record files below the run's folder that something else has just written for the run."""
        for path in paths:
            self._log.append({"file": path.relative_to(self.folder).as_posix(), "sha256": _hash_of(path)})

    def written(self) -> dict[str, list[str]]:
        """Path -> hashes of what was written there, the newest last, as far as this lab sealed it."""
        found: dict[str, list[str]] = {}
        for entry in self._log.read(sound=True):
            found.setdefault(str(entry["file"]), []).append(str(entry["sha256"]))
        return found

    def newest(self, name: str) -> str:
        """The hash of what was written to the file `name` last; `ABSENT` if nothing was."""
        entry = self._log.newest(json.dumps({"file": name}, ensure_ascii=False)[1:-1])
        return str(entry["sha256"]) if entry and entry.get("file") == name else ABSENT

    def demand(self, name: str, cure: str) -> bytes:
        """The content of the file `name`, which has to be what the run wrote.

        Raises:
            CorruptRecordError: it is missing, changed, or was never written by this lab.
        """
        path = self.folder / name
        if not path.is_file():
            raise CorruptRecordError(f"File {path} is missing. {cure}")
        content = path.read_bytes()
        if sha256_of(content) != self.newest(name):
            raise CorruptRecordError(f"File {path} {self._mismatch(cure)}")
        return content

    def _mismatch(self, cure: str) -> str:
        """Why a file is not what the run wrote, and the `cure`; another one where the record itself is damaged."""
        lines = list(self._log.lines())
        if unsound := next((line.number for line in lines if not line.sound), 0):
            where = f"line {unsound} of {self._log.path} was changed"
        elif Head.of(self._log.bound).number > len(lines):
            where = f"the end of {self._log.path} was cut off"
        else:
            return f"is not what this run has written. {cure}"
        return (
            f"is not known as written by this run: {where}. Restore {FILES} from a copy, or take the run over as it"
            f" stands: `labwright runs resume {self.folder.name} --adopt`."
        )

    @property
    def ours(self) -> bool:
        """Whether this lab started the run, with the choices that stand in its ``run.json``."""
        path = self.folder / RECORD
        return path.is_file() and sha256_of(path.read_bytes()) == self.newest(RECORD)

    @property
    def changed(self) -> bool:
        """Whether this lab started the run, and somebody changed its ``run.json`` or its ``files.jsonl``."""
        return not self.ours and (self.newest(RECORD) != ABSENT or Head.of(self._log.bound).number > 0)

    def demand_ours(self) -> None:
        """Make sure that this lab started the run, with the choices that stand in its ``run.json``.

        Raises:
            ForeignRunError: another lab or an earlier version did, or ``run.json`` was changed.
        """
        if not self.ours:
            raise ForeignRunError(self.folder.name, changed=self.changed)

    def unfinished(self) -> dict[str, Path]:
        """Files that a killed process had recorded and not yet given their names -> their temporary files."""
        left = staged(self.folder)
        written = self.written() if left else {}
        found: dict[str, Path] = {}
        for path, temporaries in left.items():
            name = path.relative_to(self.folder).as_posix()
            newest = written.get(name, [ABSENT])[-1]  # a job's own record is not of this chain
            whole = [each for each in temporaries if _hash_of(each) == newest != ABSENT]
            if whole and newest != _hash_of(path):
                found[name] = whole[-1]
        return found

    def settle(self) -> None:
        """Give the files that a killed process left unfinished their names."""
        for name, temporary in self.unfinished().items():
            temporary.replace(self.folder / name)
            sync_folder(temporary.parent)

    def begin_anew(self) -> None:
        """Take over every file as it stands, under this lab's seal; the old logs and grants are set aside."""
        for name in (EVENTS, FILES, GRANTS):
            if (self.folder / name).exists():
                _set_aside(self.folder / name)
        for name in (EVENTS, FILES):
            Head.of(log_of(self.folder, name).bound).forget()
        take_over(self.folder)
        self.keep(*files_of(self.folder))

    @property
    def _log(self) -> EventLog:
        return log_of(self.folder, FILES)


def chains_of(folder: Path) -> list[Chain]:
    """The chain of the run in `folder`, and those of its parts."""
    return [Chain(folder), *(Chain(record.parent) for record in sorted((folder / "parts").glob(f"*/{RECORD}")))]


def files_of(folder: Path) -> list[Path]:
    """The files of a run that belong into its chain; no links."""
    found = []
    for path in sorted(folder.rglob("*")):
        within = path.relative_to(folder).parts
        apart = within[0] in APART or within[0].startswith("checkpoints.sqlite")
        aside = any(".aside" in part for part in within)
        if not apart and not aside and not path.name.startswith(".") and path.is_file() and not path.is_symlink():
            found.append(path)
    return found


def _hash_of(path: Path) -> str:
    try:
        return sha256_of(path.read_bytes())
    except (FileNotFoundError, IsADirectoryError, NotADirectoryError):  # another process may have just renamed it
        return ABSENT


def _set_aside(path: Path) -> None:
    number = 1
    while (target := path.with_name(f"{path.name}.aside{number}")).exists():
        number += 1
    path.replace(target)
