"""What is known of a run, computed from its folder: for the desk's words, its memory and its comparisons."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from labwright.agents.front_desk.conversation_view import CUT
from labwright.graphs.lab_calibration.stage_results import not_accepted
from labwright.tools.errors import CorruptRecordError, InputError
from labwright.tools.forge.tasks.results import Record, read_results
from labwright.tools.runs.hashed_files import read_json
from labwright.tools.runs.listing import read_result, summarise
from labwright.tools.runs.run import Run
from labwright.tools.specifications.kinds import SPEC
from labwright.tools.specifications.yaml_files import is_document, read_document

MOST_FIGURES = 12
MOST_PATHS = 24
MOST_VALUES, LONGEST = 12, 600  # results of a task, and characters of one
RESULTS = "results.json"
FITTED = "parameter"  # label of the numbers of a fit
ROUNDING = 1e-12  # of a value
AGREE = 2  # combined one-sigma errors
_NO_RESULT = ("seconds", "evaluations_left", "usage")
_OVERVIEW = ("overview", "trajectory", "plate_map", "kernel", "circuit")  # figures that are shown first


Facts = dict[str, str]  # name -> value as it is shown, with its unit


def findings(run: Run) -> Facts:
    """The main results of the run; none while it goes on, or where its result does not read back."""
    found = _FOUND.get(run.record.system)
    result = result_of(run)
    return dict(found(result, run.folder)) if found is not None and result else {}


def result_of(run: Run) -> dict[str, Any]:
    """The run's own result; empty while it goes on, or where it does not read back."""
    try:
        return dict((read_result(run) or {}).get("result", {}))
    except CorruptRecordError:
        return {}


def comparable(run: Run) -> dict[str, str]:
    """What is worth comparing about a run."""
    state = {"asked": asked_of(run, 60), "status": summarise(run).status}
    return {**state, **findings(run), "mind": str(run.record.choices.get("mind", "rules"))}


def asked_of(run: Run, most: int) -> str:
    """What was asked, on one line; of a document its title or its first steps."""
    text = run.record.asked
    if not is_document(text):
        return short(text, most)
    try:
        data = read_document(text).data
    except InputError:
        return short(text, most)
    steps = "; ".join(each if isinstance(each, str) else _step(each) for each in data.get("steps", []))
    return short(str(data.get("title") or steps or data.get("task") or text), most)


def _step(step: Any) -> str:
    found = step if isinstance(step, dict) else {}
    name = found.get("experiment") or found.get("procedure") or found.get("file") or "step"
    given = ", ".join(f"{key} = {value}" for key, value in (found.get("parameters") or {}).items())
    return " ".join([str(name), *map(str, found.get("qubits", []))]) + (f", {given}" if given else "")


def short(text: str, most: int) -> str:
    """`text` on one line of at most `most` characters."""
    line = " ".join(text.split())
    return line if len(line) <= most else f"{line[: most - 1]}…"


def whole(text: str, most: int) -> str:
    """`text` on one line; what is longer than `most` characters ends with a sentence, or else with a word."""
    line = " ".join(text.split())
    if len(line) <= most:
        return line
    sentences, stop, _ = line[:most].rpartition(". ")
    return f"{sentences}. {CUT}" if stop else f"{line[:most].rpartition(' ')[0]} {CUT}"


def begun_with(text: str, most: int) -> str:
    """The words of `text` that there is room for; no path or number is cut in two."""
    return text if len(text) <= most else f"{text[:most].rsplit(maxsplit=1)[0]} {CUT}"


def whole_lines(text: str, most: int) -> str:
    """The lines of `text` that there is room for; the last says that there are more."""
    return text if len(text) <= most else f"{text[:most].rpartition(chr(10))[0]}\n{CUT}"


def paths_of(run: Run) -> list[str]:
    """``PATH = value`` of the main numbers of the result, for `{from: run:ID#PATH}`."""
    return [f"{path} = {value}" for path, value in _numbers(result_of(run), ()) if not path.startswith(_NO_RESULT)][
        :MOST_PATHS
    ]


def _numbers(here: Any, path: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    """Numbers by path, those with a unit as one; lists are left out."""
    if isinstance(here, dict) and "value" in here and "unit" in here:
        if isinstance(here["value"], int | float):
            yield ".".join(path), with_error(here["value"], here.get("error"), here["unit"])
    elif isinstance(here, dict):
        for name, value in here.items():
            yield from _numbers(value, (*path, str(name)))
    elif isinstance(here, int | float) and not isinstance(here, bool):
        yield ".".join(path), f"{here:.6g}"


class Number(str):
    """A number as it is shown, with what it was made of."""

    value: float
    error: float
    unit: str


def with_error(value: float, error: Any, unit: str) -> str:
    """``1.487 +- 0.010 MHz``, with two digits of the error; ``1.236e-04 +- 2.7e-06`` below a thousandth."""
    shown = f"{value:.3e}" if 0 < abs(value) < 1e-3 else f"{value:.6g}"
    if not isinstance(error, int | float) or not math.isfinite(error) or error <= 0 or not math.isfinite(value):
        return f"{shown} {unit}".strip()
    if error < ROUNDING * abs(value):  # what the arithmetic itself loses is no error of the result
        return f"{shown} {unit}".strip()
    digits = max(0, 1 - math.floor(math.log10(error)))
    short_of = digits > 9 or "e" in shown
    both = f"{shown} +- {error:.2g}" if short_of else f"{value:.{digits}f} +- {error:.{digits}f}"
    found = Number(f"{both} {unit}".strip())
    found.value, found.error, found.unit = float(value), float(error), unit
    return found


def difference(one: str, other: str) -> str:
    """How far two numbers with errors lie apart, in their combined error; empty where either has none."""
    if not isinstance(one, Number) or not isinstance(other, Number) or one.unit != other.unit:
        return ""
    apart, error = one.value - other.value, math.hypot(one.error, other.error)
    agree = abs(apart) <= AGREE * error
    said = f"agree within {AGREE} combined errors" if agree else f"lie {abs(apart) / error:.1f} combined errors apart"
    return f"difference {with_error(apart, error, one.unit)}: they {said}"


def costs(run: Run) -> Facts:
    """What the run has cost so far."""
    return {name: _shown(name, value) for name, value in spent_by(run).items()}


def total_costs(runs: list[Run], desk: dict[str, Any]) -> Facts:
    """The sum over `runs`, with what the desk's own agents spent (`desk`, a meter's total)."""
    sums: dict[str, float | None] = dict(_of_usage(desk))
    for run in runs:
        for name, value in spent_by(run).items():
            known_so_far = sums.get(name, 0.0)
            sums[name] = None if value is None or known_so_far is None else known_so_far + value
    return {name: _shown(name, value) for name, value in sums.items()}


def spent_by(run: Run) -> dict[str, float | None]:
    """Calls, tokens, money and seconds of a run; None where nobody can tell."""
    path = run.folder / "usage.json"
    usage = read_json(path, "Delete it; the count then begins anew.") if path.exists() else {}
    events = run.events.read()
    device = sum(float(event.get("device_seconds") or 0.0) for event in events if event.get("kind") == "measured")
    spent = {**_of_usage(usage.get("total", {})), "wall time": float(usage.get("wall", 0.0))}
    return spent | ({"device time": device} if device else {})


def _of_usage(total: dict[str, Any]) -> dict[str, float | None]:
    tokens = float(total.get("input_tokens", 0) + total.get("output_tokens", 0))
    return {"model calls": float(total.get("calls", 0)), "tokens": tokens, "money": total.get("cost", 0.0)}


def _shown(name: str, value: float | None) -> str:
    if value is None:
        return "unknown (no price is set)"
    return f"{value:.1f} s" if name.endswith("time") else f"{value:.4g}" if name == "money" else f"{value:.0f}"


def figures_of(run: Run) -> list[str]:
    """Paths of the run's figures, those that tell most first."""
    paths = [path for name in ("figures", "robot") for path in sorted((run.folder / name).glob("*.png"))]
    first = [path for name in _OVERVIEW for path in paths if name in path.stem]
    return [str(path) for path in dict.fromkeys([*first, *paths])][:MOST_FIGURES]


def found_in_words(run: Run) -> str:
    """The main numbers of the result, in one line."""
    return "; ".join(listed(findings(run)))


def listed(facts: Facts) -> list[str]:
    """Each fact with its name before it."""
    return [f"{name} {value}" for name, value in facts.items()]


Pairs = Iterator[tuple[str, str]]


def _qubits(result: dict[str, Any], _folder: Path) -> Pairs:
    for qubit, entry in result.get("qubits", {}).items():
        after, before, measured = entry.get("after", {}), entry.get("before", {}), entry.get("measured", {})
        error = {name: one.get("error") for name, one in measured.items()}
        for name, unit in (("frequency", "MHz"), ("amplitude_pi", ""), ("drag", "")):
            if after.get(name) != before.get(name):
                yield f"{qubit} {name}", with_error(after[name], error.get(f"ramsey.{name}_error"), unit)
        for name, title in (("error_per_gate", "error per gate"), ("limit_error_per_gate", "limit")):
            if (one := measured.get(f"single_qubit_rb.{name}", {})).get("value") is not None:
                yield f"{qubit} {title}", with_error(one["value"], one.get("error"), "")
        for name, one in measured.items():
            if one.get("main") and one.get("value") is not None and name.partition(".")[2] in ("t1", "t2_echo", "t2"):
                yield f"{qubit} {name}", with_error(one["value"], one.get("error"), one.get("unit", ""))
    for line in not_accepted(result.get("stages", [])):
        name, _, words = line.partition(": ")
        yield f"{name} (not accepted)", words


def _map(result: dict[str, Any], _folder: Path) -> Pairs:
    if "feature_map" not in result:
        return
    yield "feature map", str(result["feature_map"]["name"])
    for name in ("validation_accuracy", "test_accuracy"):
        if result.get(name) is not None:
            yield name.replace("_", " "), f"{result[name]:.4f}"
    default = result.get("baselines", {}).get("rbf_default", {}).get("test_accuracy")
    if default is not None:
        yield "RBF kernel, default: test accuracy", f"{default:.4f}"
    yield "evaluations", str(result.get("evaluations", 0))


def _forged(result: dict[str, Any], folder: Path) -> Pairs:
    with suppress(InputError, OSError):  # a file that does not read back is said where it is shown
        yield from values_of(folder)
    for name in ("forged", "reused"):
        if tools := result.get(f"tools_{name}"):
            yield f"tools {name}", ", ".join(tools)
    criteria = result.get("criteria", [])
    yield "criteria that hold", f"{sum(bool(one['passed']) for one in criteria)} of {len(criteria)}"


def values_of(folder: Path) -> Pairs:
    """(name, value with error and unit) of what the task wanted: what the card names first, single numbers first.

    Raises:
        InputError: the results or the specification cannot be read.
    """
    if not (folder / RESULTS).is_file():
        return
    records, written = read_results(folder / RESULTS).records, folder / SPEC
    data = read_document(written.read_text(encoding="utf-8")).data if written.is_file() else {}
    wanted = data.get("wanted") or ()
    named = data.get("named") or ()
    chosen = [one for one in records if wanted and one.quantity in (*wanted, *named)] or records

    def last(one: Record) -> tuple[bool, bool]:
        return one.quantity not in named, isinstance(one.value, list | dict)

    ordered = sorted(_with_their_errors(chosen), key=last)
    yield from map(record_in_words, ordered[:MOST_VALUES])
    if len(ordered) > MOST_VALUES:
        yield f"in {RESULTS}", f"{len(ordered) - MOST_VALUES} more"


def _with_their_errors(records: list[Record]) -> Iterator[Record]:
    """Records without those that tell of another one how well it was fitted: its error stands with it."""
    told = {(one.quantity, tuple(sorted(one.labels.items()))): one for one in records if FITTED in one.labels}

    def beside(record: Record, name: str) -> Record | None:
        return told.get((record.quantity, tuple(sorted({**record.labels, FITTED: name}.items()))))

    for record in records:
        name = str(record.labels.get(FITTED, ""))
        bare = name.removesuffix(" error")
        if name == "residual" or (bare != name and beside(record, bare)):
            continue
        error = beside(record, f"{name} error") if name else None
        yield record.model_copy(update={"uncertainty": error.value}) if error else record


def record_in_words(record: Record) -> tuple[str, str]:
    """``expectation (observable = ZZ, p = 0.1)`` and ``0.9067 +- 0.0066``; of an array its least and its most."""
    labels = ", ".join(f"{name} = {value}" for name, value in record.labels.items())
    name, value = f"{record.quantity} ({labels})" if labels else record.quantity, record.value
    if isinstance(value, int | float) and not isinstance(value, bool):
        return name, with_error(value, record.uncertainty, record.unit)
    if isinstance(value, list) and (numbers := list(_flat(value))):
        axes = ", ".join(f"{axis.name} {axis.values[0]:g} to {axis.values[-1]:g} {axis.unit}" for axis in record.axes)
        ends = f"{len(numbers)} values from {min(numbers):.6g} to {max(numbers):.6g} {record.unit}".rstrip()
        return name, ends + (f", along {axes}".rstrip() if axes else "")
    return name, f"{whole(str(value), LONGEST)} {record.unit}".rstrip()


def _flat(value: list[Any]) -> Iterator[float]:
    for one in value:
        if isinstance(one, list):
            yield from _flat(one)
        elif isinstance(one, int | float):
            yield float(one)


def _protocol(result: dict[str, Any], _folder: Path) -> Pairs:
    for name, value in result.get("facts", {}).items():
        yield name, f"{value:.6g}{' min' if name == 'minutes' else ''}"
    for name, word in (("preparation", "before"), ("treatments", "after it is filled")):
        if lines := result.get(name):
            yield word, " ".join(line if line.endswith(".") else f"{line}." for line in lines)


_FOUND: dict[str, Callable[[dict[str, Any], Path], Pairs]] = {
    "lab_calibration": _qubits,
    "feature_map_search": _map,
    "tool_forging": _forged,
    "protocol_design": _protocol,
}
