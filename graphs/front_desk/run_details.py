"""The results of a run in whole lines, for questions about it: values of a task, stocks and steps of a protocol."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from pydantic import ValidationError

from labwright.graphs.feature_map_search.choices import Choices
from labwright.graphs.feature_map_search.report_methods_section import method_notes
from labwright.graphs.feature_map_search.run_context import chosen_by
from labwright.graphs.front_desk.facts import LONGEST, record_in_words, result_of, whole, whole_lines, with_error
from labwright.graphs.front_desk.run_requests import specification_of
from labwright.graphs.protocol_design.computed_design import Planned, steps_of
from labwright.tools.errors import CorruptRecordError, InputError
from labwright.tools.feature_maps.compared_methods import TITLES
from labwright.tools.forge.tasks.results import Record, read_results
from labwright.tools.liquid_handler.platform import SOURCE_DEAD_VOLUME, SOURCE_MIN_DEAD
from labwright.tools.qpu.settings import SETTING_UNITS
from labwright.tools.runs.hashed_files import read_json
from labwright.tools.runs.run import Run
from labwright.tools.specifications.protocol import ProtocolSpec
from labwright.tools.specifications.yaml_files import validated

MOST = 12_000  # characters of all
MOST_POINTS = 60  # of an array that is told value by value
OF_MAP = ("selection", "validation_accuracy", "cross_validation", "alignment", "concentration")
PARTS = ("validation", "test")
SAID = {"assumptions": "assumed", "decisions": "settled", "left_out": "left out", "notes": "note"}


def details(run: Run) -> list[str]:
    """What the run's files say beside its main results; nothing where they do not read back."""
    result, told = result_of(run), _DETAILS.get(run.record.system)
    try:
        lines = [*told(run, result)] if told is not None else []
    except (CorruptRecordError, InputError, OSError, ValidationError):
        return []
    lines += [f"{word}: {line}" for name, word in SAID.items() for line in result.get(name) or []]
    return whole_lines("\n".join(" ".join(line.split()) for line in lines), MOST).splitlines()


def _task(run: Run, result: dict[str, Any]) -> Iterator[str]:
    if (run.folder / "results.json").is_file():
        found = read_results(run.folder / "results.json")
        yield from (f"used {name} = {whole(str(value), LONGEST)}" for name, value in found.parameters.items())
        for record in found.records:
            name, value = record_in_words(record)
            yield f"{name}: {_points(record) or value}" if isinstance(record.value, list) else f"{name} = {value}"
    for one in result.get("criteria", []):
        yield f"criterion {'holds' if one['passed'] else 'fails'}: {one['message']}"


def _points(record: Record) -> str:
    """Each value of a short array beside its place on the axis; empty for others."""
    numbers = [one for one in record.value if isinstance(one, int | float)] if isinstance(record.value, list) else []
    if len(record.axes) != 1 or not 0 < len(numbers) == len(record.axes[0].values) <= MOST_POINTS:
        return ""
    axis = record.axes[0]
    found = "; ".join(f"{at:g}: {value:.8g}" for at, value in zip(axis.values, numbers, strict=True))
    return f"{record.unit} at {axis.name} {axis.unit}: {found}".replace("  ", " ").strip()


def _calibration(run: Run, result: dict[str, Any]) -> Iterator[str]:
    """Every setting before and after, and every number that was measured."""
    for qubit, entry in result.get("qubits", {}).items():
        before, after = entry.get("before", {}), entry.get("after", {})
        for name, value in after.items():
            was = before.get(name)
            change = "unchanged" if was == value else f"before {_plain(was)}"
            yield f"setting {qubit} {name} = {_plain(value)} {SETTING_UNITS.get(name, '')} ({change})".replace(
                "  ", " "
            )
        for name, one in entry.get("measured", {}).items():
            if isinstance(one.get("value"), int | float):
                yield f"measured {qubit} {name} = {with_error(one['value'], one.get('error'), one.get('unit', ''))}"


def _plain(value: Any) -> str:
    return f"{value:.8g}" if isinstance(value, float) else str(value)


def _search(run: Run, result: dict[str, Any]) -> Iterator[str]:
    """How it chooses and compares; what each method came to."""
    yield from method_notes(chosen_by(specification_of(run), Choices.model_validate(run.record.choices)))
    if data := result.get("data"):
        yield f"data: {data['n_raw_features']} raw features, {data['n_features']} kept, {data['n_classes']} classes"
        sizes = ", ".join(f"{data[f'n_{part}']} in the {part} part" for part in ("train", *PARTS))
        yield f"samples: {sizes}"
    if found := result.get("feature_map"):
        numbers = {**found["hyperparameters"], "C": found["penalty"], **{name: found.get(name) for name in OF_MAP}}
        numbers |= {name: found["circuit"].get(name) for name in ("gates", "two_qubit_gates", "depth")}
        told = ", ".join(f"{name} {_number(value)}" for name, value in numbers.items() if value is not None)
        yield f"the map that was found, {found['name']} of trial {found['trial']}: {told}"
    for name, one in result.get("baselines", {}).items():
        if one.get("why_not"):
            yield f"{TITLES.get(name, name)}: not applicable, {one['why_not']}"
            continue
        p = f", p {one['p']:.2g}, corrected {one['p_adjusted']:.2g}: the map is {one['verdict']}" if "p" in one else ""
        settings = ", ".join(f"{each} {_number(value)}" for each, value in (one.get("hyperparameters") or {}).items())
        accuracies = ", ".join(f"{part} {one[f'{part}_accuracy']:.4f}" for part in PARTS if one.get(f"{part}_accuracy"))
        yield f"{TITLES.get(name, name)}: accuracy {accuracies}; {one['evaluations']} evaluations; {settings}{p}"


def _number(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def _protocol(run: Run, result: dict[str, Any]) -> Iterator[str]:
    if not result.get("steps") and (draft := specification_of(run) or _draft(run)):  # it waits, or was stopped
        planned = Planned.of(validated(ProtocolSpec, draft).design, {})
        yield from (*planned.sentences(), *planned.preparation())
        yield from map(_step, steps_of(planned))
    for (name, unit), amounts in _dispensed(result).items():
        yield f"{name}: {sum(amounts):.6g} {unit} in all, in {len(amounts)} vials"
    written = run.folder / (result.get("files") or {}).get("protocol", "")
    sources = read_json(written, "Start it anew.")["sources"] if written.is_file() else []
    for source in sources:
        load = f"{source['load']:.6g} {source['unit']}"
        yield f"to be loaded at position {source['position']}: {load} of {source['name']}"
    if sources:
        share, least = f"{100 * SOURCE_DEAD_VOLUME:g} %", f"{SOURCE_MIN_DEAD:g} uL"
        yield f"a load of a liquid is what is dispensed and what the robot cannot draw: {share} of it, at least {least}"
    yield from map(_step, result.get("steps", []))


def _draft(run: Run) -> dict[str, Any]:
    """What was last read of the words, before anybody has agreed to it."""
    drafts = [event["draft"] for event in run.events.read() if event.get("kind") == "drafted"]
    return dict(drafts[-1]) if drafts else {}


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


_DETAILS: dict[str, Callable[[Run, dict[str, Any]], Iterator[str]]] = {
    "lab_calibration": _calibration,
    "feature_map_search": _search,
    "tool_forging": _task,
    "protocol_design": _protocol,
}
