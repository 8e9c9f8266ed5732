"""What a run left behind, told without names and times, so that two runs of one seed can be compared."""

from __future__ import annotations

import json
import zipfile
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np

from labwright.tools.runs.hashed_files import read_json
from labwright.tools.runs.run import load_run

PNG_HEAD, PNG_TAIL = b"\x89PNG\r\n\x1a\n", b"IEND\xaeB`\x82"
UNFINISHED = (".tmp", ".part")  # a killed writer's temporary file never had the real name


@dataclass(frozen=True, slots=True)
class Witness:
    """The facts of a finished run, without run ids, action keys and wall times.

    Attributes:
        status: how it ended.
        settings: qubit -> settings before and after.
        measured: qubit -> estimate name -> {value, error, unit}.
        stages: one entry a stage run: path, call, verdict, diagnosis, next stage.
        acquisitions: one entry a program that the device played: ordinal, clock, qubit, points, shots.
        updates: one entry a change of the settings: qubit, changes, clock.
        artifacts: path -> SHA-256 of data and figures.
        said: how often each once-only event was logged.
    """

    status: str
    settings: dict[str, Any]
    measured: dict[str, Any]
    stages: list[dict[str, Any]]
    acquisitions: list[dict[str, Any]]
    updates: list[dict[str, Any]]
    artifacts: dict[str, str]
    said: dict[str, int]


def witness(folder: Path) -> Witness:
    """The facts of the run in `folder`; it must have ended.

    Raises:
        CorruptRecordError: a file of the run does not read back.
    """
    run, document = load_run(folder), read_json(folder / "result.json", "The run has not ended; resume it.")
    qubits = document["result"].get("qubits", {})
    rows = document["result"].get("stages", [])
    calls = {path.parent.name: read_json(path, "")["call"] for path in _claims(folder)}
    return Witness(
        status=document["status"],
        settings={name: {"before": entry["before"], "after": entry["after"]} for name, entry in qubits.items()},
        measured={name: entry["measured"] for name, entry in qubits.items()},
        stages=[{**_without(row, "action"), "call": calls.get(row["action"])} for row in rows],
        acquisitions=[_without(entry, "key") for entry in _played(folder)],
        updates=_updates(folder),
        artifacts={item["path"]: item["sha256"] for item in document["artifacts"] if item["kind"] != "report"},
        said=dict(Counter(event["kind"] for event in run.events.read() if "once" in event)),
    )


def differences(ours: Witness, theirs: Witness) -> list[str]:
    """What is not equal, a line each; empty if the runs are the same."""
    found = []
    for item in fields(Witness):
        one, other = getattr(ours, item.name), getattr(theirs, item.name)
        if one != other:
            found.append(f"{item.name}: {first_difference(one, other)}")
    return found


def repeated_actions(folder: Path) -> list[str]:
    """Acquisition keys that the device's journal holds twice, and claims that were never finished."""
    keys = Counter(str(entry["key"]) for entry in _played(folder))
    twice = [f"played {number} times: {key}" for key, number in keys.items() if number > 1]
    open_claims = [path.parent for path in _claims(folder) if not path.with_name("done.json").exists()]
    return twice + [f"claimed and never done: {path.name}" for path in sorted(open_claims)]


def _claims(folder: Path) -> list[Path]:
    """Every claim of the run and of its parts."""
    return sorted([*folder.glob("actions/*/claim.json"), *folder.glob("parts/*/actions/*/claim.json")])


def _played(folder: Path) -> list[dict[str, Any]]:
    """Every acquisition in the device's journal, those that were played together one by one."""
    lines = _lines(folder / "device" / "journal.jsonl")
    return [
        {**line, **entry, "together": len(line.get("together", ()))}
        for line in lines
        for entry in line.get("together", [line])
    ]


def _updates(folder: Path) -> list[dict[str, Any]]:
    """Every change of the settings; qubits that are worked on side by side write in any order."""
    lines = [_without(line, "key") for line in _lines(folder / "device" / "settings.jsonl")]
    if not (folder / "parts").exists():
        return lines
    return [_without(line, "version") for line in sorted(lines, key=lambda each: (each["qubit"], each["version"]))]


def broken_files(folder: Path) -> list[str]:
    """Files of the run that do not read back whole. A leftover temporary file is not one of them."""
    found = []
    for path in sorted(path for path in folder.rglob("*") if path.is_file() and path.suffix not in UNFINISHED):
        try:
            _read_whole(path)
        except (ValueError, OSError, zipfile.BadZipFile, EOFError) as error:
            found.append(f"{path.relative_to(folder)}: {error}")
    return found


def _read_whole(path: Path) -> None:
    """Raise if `path` is half-written."""
    if path.suffix == ".json":
        json.loads(path.read_bytes())
    elif path.suffix == ".jsonl":
        _lines(path)
    elif path.suffix == ".npz":
        with np.load(path, allow_pickle=False) as arrays:
            _ = [arrays[name] for name in arrays.files]  # reads every member, and so its check sum
    elif path.suffix == ".png":
        content = path.read_bytes()
        if not content.startswith(PNG_HEAD) or not content.endswith(PNG_TAIL):
            raise ValueError("not a whole PNG")


def _lines(path: Path) -> list[dict[str, Any]]:
    if not path.exists():
        return []
    content = path.read_bytes()
    if content and not content.endswith(b"\n"):
        raise ValueError("the last line is torn")
    return [json.loads(line) for line in content.splitlines()]


def _without(entry: dict[str, Any], *names: str) -> dict[str, Any]:
    return {name: value for name, value in entry.items() if name not in names}


def first_difference(one: Any, other: Any) -> str:
    """The first place where two values part."""
    if isinstance(one, dict) and isinstance(other, dict):
        pairs: Iterable[tuple[Any, Any, Any]] = ((k, one.get(k), other.get(k)) for k in sorted({*one, *other}))
    elif isinstance(one, list) and isinstance(other, list):
        longest = max(len(one), len(other))
        pad = [None] * longest
        pairs = zip(range(longest), [*one, *pad], [*other, *pad], strict=False)
    else:
        return f"{one!r} is not {other!r}"
    return next((f"{name} > {first_difference(a, b)}" for name, a, b in pairs if a != b), "equal")
