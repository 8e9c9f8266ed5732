"""Whether a run still is what was written: its logs line by line, its files by hash."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from labwright.tools.runs.events import FIRST, EventLog, Line
from labwright.tools.runs.hash_chain import ABSENT, APART, EVENTS, FILES, Chain, chains_of, files_of, log_of
from labwright.tools.runs.hashed_files import sha256_of
from labwright.tools.runs.log_heads import Head
from labwright.tools.runs.spending import USAGE, usage_damage

Kind = Literal["changed", "missing", "cut", "moved", "added", "unfinished"]


@dataclass(frozen=True, slots=True)
class Finding:
    """One place where a run is not what was written.

    Attributes:
        where: file below the run's folder, with its line.
        kind: ``moved`` is a line in the wrong place, ``unfinished`` what a kill interrupted, which is no damage.
        what: in a sentence.
    """

    where: str
    kind: Kind
    what: str


@dataclass(frozen=True, slots=True)
class Verified:
    """What `verify` found.

    Attributes:
        ours: this lab began the run, and its choices stand as they were.
        events: lines that carry this lab's seal.
        files: files that are what was written.
        apart: names in the folder that the chain does not cover.
        findings: everything else.
    """

    ours: bool
    events: int
    files: int
    apart: tuple[str, ...]
    findings: tuple[Finding, ...]

    @property
    def whole(self) -> bool:
        """Nothing was changed, added, moved or taken away."""
        return self.ours and all(one.kind == "unfinished" for one in self.findings)


def verify(folder: Path) -> Verified:
    """Compare the run in `folder`, and its parts, with what this lab's seals say that it wrote."""
    findings: list[Finding] = []
    events = files = 0
    for chain in chains_of(folder):
        part = "" if chain.folder == folder else f"{chain.folder.relative_to(folder).as_posix()}/"
        log = log_of(chain.folder, EVENTS)
        events += sum(line.sound for line in log.lines())
        for name in (EVENTS, FILES):
            findings += _of_log(log_of(chain.folder, name), f"{part}{name}")
        whole, found = _of_files(chain, part)
        files += whole
        findings += found
    if wrong := usage_damage(folder):
        findings.append(Finding(USAGE, "missing" if wrong == "is missing" else "changed", f"it {wrong}"))
    covered = {EVENTS, FILES, USAGE, "parts"}
    apart = tuple(sorted(path.name for path in folder.iterdir() if path.name in APART - covered))
    return Verified(Chain(folder).ours, events, files, apart, tuple(findings))


def _of_log(log: EventLog, name: str) -> Iterator[Finding]:
    lines = list(log.lines())
    sound = [line for line in lines if line.sound and line.event]
    there = {int(line.event["seq"]) for line in sound if line.event}
    for line in lines:
        if not line.sound:
            yield Finding(f"{name}:{line.number}", "changed", _unsound(line))
    highest, before, between = 0, FIRST, 0
    for line in lines:
        if not line.sound or line.event is None:
            between += 1
            continue
        number, where = int(line.event["seq"]), f"{name}:{line.number}"
        if number <= highest:
            yield Finding(where, "moved", f"entry {number} stands behind entry {highest}")
            continue
        if lost := int(line.event.get("lost", 0)):
            yield Finding(where, "cut", f"{lost} entries before it were cut off, or lost in a power cut")
        gone = [each for each in range(highest + 1, min(number, highest + 10_000)) if each not in there][between:]
        if gone:
            yield Finding(where, "missing", f"{_entries(gone)} gone from before it")
        elif not between and number == highest + 1 and line.before != before:
            yield Finding(where, "changed", f"entry {highest} before it is not the one that it was written after")
        highest, before, between = number, line.seal, 0
    beyond = Head.of(log.bound).beyond(highest) - between
    if beyond > 0:
        what = f"{beyond} entries at the end were cut off, or lost in a power cut"
        yield Finding(f"{name}:{len(lines) + 1}", "cut", what)


def _unsound(line: Line) -> str:
    if line.event is None:
        return "it does not read"
    return "its seal does not hold: it was changed, or comes from another run or lab" if line.seal else "it has no seal"


def _entries(numbers: list[int]) -> str:
    if len(numbers) == 1:
        return f"entry {numbers[0]} is"
    return f"{len(numbers)} entries ({numbers[0]} to {numbers[-1]}) are"


def _of_files(chain: Chain, part: str) -> tuple[int, list[Finding]]:
    written, unfinished, whole, found = chain.written(), chain.unfinished(), 0, []
    for name, hashes in written.items():
        path = chain.folder / name
        now = sha256_of(path.read_bytes()) if path.is_file() else ABSENT
        if now == hashes[-1]:
            whole += now != ABSENT
        elif name in unfinished:
            found.append(Finding(part + name, "unfinished", "its process was killed before it was written"))
        elif now == ABSENT:
            found.append(Finding(part + name, "missing", "it was written and is gone"))
        else:
            older = "an older version of it lies there" if now in hashes else "it is not what was written"
            found.append(Finding(part + name, "changed", older))
    for path in files_of(chain.folder):
        name = path.relative_to(chain.folder).as_posix()
        if name not in written:
            found.append(Finding(part + name, "added", "this run has not written it"))
    return whole, found
