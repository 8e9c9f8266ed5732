"""The results of a run in whole lines, for questions about it: values of a task, stocks and steps of a protocol."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from labwright.graphs.front_desk.facts import LONGEST, record_in_words, result_of, whole, whole_lines
from labwright.tools.errors import CorruptRecordError, InputError
from labwright.tools.forge.tasks.results import read_results
from labwright.tools.runs.hashed_files import read_json
from labwright.tools.runs.run import Run

MOST = 12_000  # characters of all
SAID = {"assumptions": "assumed", "decisions": "settled", "left_out": "left out", "notes": "note"}


def details(run: Run) -> list[str]:
    """What the run's files say beside its main results; nothing where they do not read back."""
    result, told = result_of(run), _DETAILS.get(run.record.system)
    try:
        lines = [*told(run.folder, result)] if told is not None else []
    except (CorruptRecordError, InputError, OSError):
        return []
    lines += [f"{word}: {line}" for name, word in SAID.items() for line in result.get(name) or []]
    return whole_lines("\n".join(" ".join(line.split()) for line in lines), MOST).splitlines()


def _task(folder: Path, result: dict[str, Any]) -> Iterator[str]:
    if (folder / "results.json").is_file():
        found = read_results(folder / "results.json")
        yield from (f"used {name} = {whole(str(value), LONGEST)}" for name, value in found.parameters.items())
        for record in found.records:
            name, value = record_in_words(record)
            yield f"{name}: {value}" if isinstance(record.value, list) else f"{name} = {value}"
    for one in result.get("criteria", []):
        yield f"criterion {'holds' if one['passed'] else 'fails'}: {one['message']}"


def _protocol(folder: Path, result: dict[str, Any]) -> Iterator[str]:
    for (name, unit), amounts in _dispensed(result).items():
        yield f"{name}: {sum(amounts):.6g} {unit} in all, in {len(amounts)} vials"
    written = folder / (result.get("files") or {}).get("protocol", "")
    for source in read_json(written, "Start it anew.")["sources"] if written.is_file() else []:
        load = f"{source['load']:.6g} {source['unit']}"
        yield f"to be loaded at position {source['position']}: {load} of {source['name']}"
    yield from map(_step, result.get("steps", []))


def _step(step: dict[str, Any]) -> str:
    amounts = list(step["amounts"].values())
    least, most = min(amounts, default=0.0), max(amounts, default=0.0)
    much = f"{least:.6g}" if least == most else f"{least:.6g} to {most:.6g}"
    much = f"{much} {step['unit']}".strip()
    vials = f"{len(amounts)} vials of {step['plate']} ({', '.join(step['tags'])})"
    return f"step {step['number']}: {step['action']} {step['subject']} {much}, {vials}"


def _dispensed(result: dict[str, Any]) -> dict[tuple[str, str], list[float]]:
    """The amounts of each stock and substance, by name and unit."""
    found: dict[tuple[str, str], list[float]] = {}
    for vial in result.get("vials", []):
        for name, one in vial["contents"].items():
            found.setdefault((name, one["unit"]), []).append(one["amount"])
    return found


_DETAILS: dict[str, Callable[[Path, dict[str, Any]], Iterator[str]]] = {
    "tool_forging": _task,
    "protocol_design": _protocol,
}
