"""What is known of a run, computed from its folder: for the desk's words, its memory and its comparisons."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from labwright.agents.front_desk.given import KnownRun
from labwright.agents.front_desk.lexicon import qubits_in
from labwright.agents.front_desk.tell_runs import Fact, RunFacts
from labwright.agents.protocol_design.names import find_chemicals
from labwright.graphs.lab_calibration.stage_results import not_accepted
from labwright.tools.errors import CorruptRecordError
from labwright.tools.runs.files import read_json
from labwright.tools.runs.listing import read_result, summarise
from labwright.tools.runs.run import Run

MOST_FIGURES = 12
_OVERVIEW = ("overview", "trajectory", "plate_map", "kernel", "circuit")  # figures that are shown first


def known(run: Run) -> KnownRun:
    """The run as the desk lists it."""
    record, state = run.record, summarise(run)
    started = record.created[:16].replace("T", " ")
    return KnownRun(
        run_id=run.run_id,
        system=record.system,
        asked=" ".join(record.asked.split())[:300],
        status=state.status,
        started=started,
        subject=subject_of(run),
    )


def subject_of(run: Run) -> list[str]:
    """What the run is about: qubits, a data set, chemicals."""
    record = run.record
    if record.system == "lab_calibration":
        measured = (read_result(run) or {}).get("result", {}).get("qubits", {})
        return list(dict.fromkeys([*record.choices.get("qubits", ()), *qubits_in(record.asked), *measured]))
    if record.system == "feature_map_search":
        return [str(record.choices.get("dataset", ""))]
    if record.system == "protocol_design":
        return list(dict.fromkeys(name for name, _, _ in find_chemicals(record.asked)))[:6]
    return []


def run_facts(run: Run) -> RunFacts:
    """What came of the run, with its costs."""
    state = summarise(run)
    document = read_result(run) or {}
    found = _FOUND.get(run.record.system, _nothing)(document.get("result", {}))
    choices = {name: value for name, value in run.record.choices.items() if name in ("mind", "seed", "dataset")}
    facts = [*found, *(Fact(name=name, value=str(value)) for name, value in choices.items()), *costs(run)]
    asked = " ".join(run.record.asked.split())[:200]
    return RunFacts(
        run_id=run.run_id, system=run.record.system, asked=asked, status=state.status, reason=state.reason, facts=facts
    )


def costs(run: Run) -> list[Fact]:
    """What the run has cost so far."""
    spent = spent_by(run)
    return [Fact(name=name, value=_shown(name, value)) for name, value in spent.items()]


def total_costs(runs: list[Run], desk: dict[str, Any]) -> list[Fact]:
    """The sum over `runs`, with what the desk's own agents spent (`desk`, a meter's total)."""
    sums: dict[str, float | None] = dict(_of_usage(desk))
    for run in runs:
        for name, value in spent_by(run).items():
            known_so_far = sums.get(name, 0.0)
            sums[name] = None if value is None or known_so_far is None else known_so_far + value
    return [Fact(name=name, value=_shown(name, value)) for name, value in sums.items()]


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
    folders = [run.folder / "figures", run.folder / "robot"]
    paths = [path for folder in folders for path in sorted(folder.glob("*.png"))]
    first = [path for name in _OVERVIEW for path in paths if name in path.stem]
    return [str(path) for path in dict.fromkeys([*first, *paths])][:MOST_FIGURES]


def found_in_words(run: Run) -> str:
    """The main numbers of the result, in one line."""
    try:
        result = (read_result(run) or {}).get("result", {})
    except CorruptRecordError:
        return ""
    return "; ".join(f"{fact.name} {fact.value}" for fact in _FOUND.get(run.record.system, _nothing)(result))


def _qubits(result: dict[str, Any]) -> list[Fact]:
    found = []
    for qubit, entry in result.get("qubits", {}).items():
        after, before = entry.get("after", {}), entry.get("before", {})
        changed = [name for name in ("frequency", "amplitude_pi", "drag") if after.get(name) != before.get(name)]
        found += [Fact(name=f"{qubit} {name}", value=f"{after[name]:.6g}{_unit(name)}") for name in changed]
        for name, title in (("rb_error_per_gate", "error per gate"), ("limit_error_per_gate", "limit")):
            if entry.get(name) is not None:
                found.append(Fact(name=f"{qubit} {title}", value=_number(entry[name])))
        for name, one in entry.get("measured", {}).items():
            if one.get("main") and one.get("value") is not None and name.partition(".")[2] in ("t1", "t2_echo", "t2"):
                found.append(Fact(name=f"{qubit} {name}", value=f"{one['value']:.4g} {one.get('unit', '')}".strip()))
    refused = [line.partition(": ") for line in not_accepted(result.get("stages", []))]
    return [*found, *(Fact(name=f"{name} (not accepted)", value=words) for name, _, words in refused)]


def _unit(name: str) -> str:
    return " MHz" if name == "frequency" else ""


def _number(value: float) -> str:
    return f"{value:.3e}" if value and math.fabs(value) < 1e-2 else f"{value:.4g}"


def _map(result: dict[str, Any]) -> list[Fact]:
    if "feature_map" not in result:
        return []
    found = [Fact(name="feature map", value=str(result["feature_map"]["name"]))]
    for name in ("validation_accuracy", "test_accuracy"):
        if result.get(name) is not None:
            found.append(Fact(name=name.replace("_", " "), value=f"{result[name]:.4f}"))
    default = result.get("baselines", {}).get("rbf_default", {}).get("test_accuracy")
    if default is not None:
        found.append(Fact(name="RBF kernel, default: test accuracy", value=f"{default:.4f}"))
    return [*found, Fact(name="evaluations", value=str(result.get("evaluations", 0)))]


def _forged(result: dict[str, Any]) -> list[Fact]:
    if "tools_forged" not in result:
        return []
    named = [(name, result.get(f"tools_{name}", [])) for name in ("forged", "reused")]
    passed = sum(bool(one["passed"]) for one in result.get("criteria", []))
    facts = [Fact(name=f"tools {name}", value=", ".join(tools)) for name, tools in named if tools]
    return [*facts, Fact(name="criteria that hold", value=f"{passed} of {len(result.get('criteria', []))}")]


def _protocol(result: dict[str, Any]) -> list[Fact]:
    units = {"minutes": " min"}
    return [Fact(name=n, value=f"{v:.6g}{units.get(n, '')}") for n, v in result.get("facts", {}).items()]


def _nothing(result: dict[str, Any]) -> list[Fact]:
    return []


_FOUND: dict[str, Callable[[dict[str, Any]], list[Fact]]] = {
    "lab_calibration": _qubits,
    "feature_map_search": _map,
    "tool_forging": _forged,
    "protocol_design": _protocol,
}
