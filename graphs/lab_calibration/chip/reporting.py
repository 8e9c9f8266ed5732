"""The last node of a chip: one result for all qubits, a map, and a report that says what became of each."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from labwright.graphs.lab_calibration.chip.coupler_report import WORDS, coupler_table, pair_results
from labwright.graphs.lab_calibration.chip.lane_outcomes import outcome_of
from labwright.graphs.lab_calibration.chip.state import ChipState, Lane
from labwright.graphs.lab_calibration.run_context import Laboratory, laboratory
from labwright.graphs.result_document import write_end
from labwright.tools.experiments.chip_figure import MappedQubit, chip_map
from labwright.tools.upkeep.calibration_graph import ONE_QUBIT, WHOLE, in_order

Result = dict[str, Any]


def chip_report(state: ChipState) -> dict[str, Any]:
    """Write the end of the run; may run again after a crash with the same outcome."""
    lab = laboratory(state["run_dir"], state["choices"])
    result = result_of(lab, state)
    status, cause = _ending(state, result)
    lab.run.save_json("outcome.json", {"status": status, "cause": cause, "result": result})
    lab.run.save_text("report.md", _markdown(lab, state, result, status, cause), kind="report")
    if not lab.driven:
        write_end(lab, status, cause, [], lab.meter.wall)
    lab.close()
    return {"phase": "report", "status": status, "cause": cause}


def result_of(lab: Laboratory, state: ChipState) -> Result:
    """The `result` part of the result document, as of a calibration of several qubits, and what the chip adds."""
    qubits: dict[str, Any] = {}
    stages: list[dict[str, Any]] = []
    assumptions: list[str] = []
    for lane in _in_order(state):
        if lane["kind"] == "couple":
            continue
        own = outcome_of(lab, lane["name"]) if lane["kind"] == "calibrate" else _kept_up(lab, lane)
        stages += [{**row, "lane": lane["name"]} for row in own.get("stages", [])]
        assumptions += [line for line in own.get("assumptions", []) if line not in assumptions]
        before = qubits.get(lane["qubit"], {})
        qubits[lane["qubit"]] = _joined(before, own.get("qubits", {}).get(lane["qubit"], {}), lane, state)
    pairs = pair_results(lab, state)
    stages += [row for entry in pairs.values() for row in entry.pop("stages")]
    spent = state["spent"]
    upkeep = {lane["qubit"]: nodes_of(lane) for lane in _in_order(state) if lane["kind"] == "maintain"}
    return {
        **({"upkeep": {name: upkeep[name] for name in lab.device.qubits if name in upkeep}} if upkeep else {}),
        "qubits": {name: qubits[name] for name in lab.device.qubits if name in qubits},
        "pairs": pairs,
        "stages": stages,
        "assumptions": assumptions,
        "rounds": state["plan"]["rounds"],
        "kept_apart": state["plan"]["reasons"],
        "couplers": state["plan"]["couplers"],
        "device_seconds": round(spent["together"], 1),
        "one_by_one_seconds": round(spent["one_by_one"], 1),
        "acquisitions": spent["acquisitions"],
    }


def _in_order(state: ChipState) -> list[Lane]:
    return [state["lanes"][name] for each in state["plan"]["rounds"] for name in each]


def nodes_of(lane: Lane) -> list[dict[str, Any]]:
    """What the upkeep did with every calibration of a qubit, in the order of dependence."""
    rows = []
    whole = any(entry["node"] == WHOLE.name for entry in lane["state"].get("log", []))
    for name in [*in_order(ONE_QUBIT), *([WHOLE.name] if whole else [])]:
        steps = [entry for entry in lane["state"].get("log", []) if entry["node"] == name]
        done = [entry["found"] for entry in steps]
        state = "trusted"
        if "failed" in done:
            state = "failed"
        elif "calibrated" in done:
            state = "recalibrated"
        elif done:
            state = "in spec" if done[-1] == "in_spec" else "out of spec"
        details = [f"{entry['act']}: {entry['detail']}" for entry in steps if entry["detail"]]
        why = steps[0]["why"] if steps else ""
        rows.append({"node": name, "state": state, "why": why, "details": details, "checks": done.count("in_spec")})
    return rows


def _kept_up(lab: Laboratory, lane: Lane) -> Result:
    """A lane of upkeep in the form of a calibration's outcome."""
    qubit, log = lane["qubit"], lane["state"].get("log", [])
    book = lab.device.settings
    before = after = asdict(book.current(qubit))
    for version in reversed(book.history(qubit)):
        if log and version.clock >= lane["state"]["begun"]:
            before = {**before, **version.before}
    measured: dict[str, Any] = {}
    stages: list[Any] = []
    rb: dict[str, Any] = {}
    for entry in log:
        if entry["act"] == "calibrate":
            inner = outcome_of(lab, entry["part"])
            stages += inner.get("stages", [])
            found = inner.get("qubits", {}).get(qubit, {})
            measured |= found.get("measured", {})
            rb = {name: found[name] for name in RB if found.get(name) is not None} or rb
    return {"qubits": {qubit: {"before": before, "after": after, "measured": measured, **rb}}, "stages": stages}


RB = ("rb_error_per_gate", "rb_error_std", "limit_error_per_gate")


def _joined(before: Result, found: Result, lane: Lane, state: ChipState) -> Result:
    """One qubit's entry; a second lane of the same qubit goes on where the first ended."""
    number = next(n for n, names in enumerate(state["plan"]["rounds"], 1) if lane["name"] in names)
    merged = {**before, **found, "measured": {**before.get("measured", {}), **found.get("measured", {})}}
    merged["before"] = before.get("before") or found.get("before", {})
    for name in RB:
        merged[name] = found.get(name) if found.get(name) is not None else before.get(name)
    failed_alone = lane["name"].endswith("-alone") and lane["status"] != "complete"
    told = {"status": lane["status"], "cause": lane["cause"], "round": number}
    if failed_alone:
        told["cause"] = f"its benchmark beside others stands, the one alone failed: {lane['cause']}"
    alone = {"benchmarked_alone": True} if lane["name"].endswith("-alone") and not failed_alone else {}
    part = f"parts/{lane['name']}"
    return {**merged, **told, **alone, "parts": [*before.get("parts", []), part]}


def _ending(state: ChipState, result: Result) -> tuple[str, str]:
    """Status and cause of the whole: complete if every qubit is."""
    if state.get("status") == "stopped":
        return "stopped", state.get("cause", "")
    parts = {what: _not_passed(result[what]) for what in ("qubits", "pairs")}
    if not any(parts.values()):
        return "complete", ""
    if all(entry["status"] == "refused" for entry in result["qubits"].values()):
        return "refused", next(iter(parts["qubits"].values()))["cause"]
    told = [
        f"{len(bad)} of {len(result[what])} {'couplers' if what == 'pairs' else what} did not pass. "
        + "; ".join(f"{name}: {entry['cause'] or entry['status']}" for name, entry in bad.items())
        for what, bad in parts.items()
        if bad
    ]
    return "failed", " ".join(told)


def _not_passed(entries: Result) -> Result:
    return {name: entry for name, entry in entries.items() if entry["status"] != "complete"}


def mapped(result: Result) -> dict[str, MappedQubit]:
    """What the map shows of each qubit."""
    found = {}
    for name, entry in result["qubits"].items():
        t1 = entry["measured"].get("t1.t1", {}).get("value")
        frequency = entry.get("after", {}).get("frequency")
        found[name] = MappedQubit(frequency, t1, entry["rb_error_per_gate"], entry["status"] != "complete")
    return found


def _markdown(lab: Laboratory, state: ChipState, result: Result, status: str, cause: str) -> str:
    record, made = lab.run.record, state["plan"]
    parts = [
        f"# {(state['request'].strip().splitlines() or ['A chip'])[0]}",
        f"Run `{record.run_id}` · {status.upper()} · device `{lab.device.name}` · seed {record.seed}"
        f" · mind `{lab.mind.name}`",
        _summary(result, made["rounds"]),
    ]
    if cause:
        parts.append(f"Cause: {cause}")
    if lab.choices.figures:
        title = f"{lab.device.name}, {len(result['qubits'])} qubits"
        figure = lab.run.save_figure("chip", chip_map(mapped(result), made["places"], made["couplers"], title), dpi=130)
        parts.append(f"![the chip]({figure.path})")
    if "upkeep" in result:
        parts += ["## Upkeep", _upkeep_table(result["upkeep"])]
    parts += ["## Qubits", _qubit_table(result)]
    if lab.plan.mode == "calibrate":
        parts += ["## Couplers", coupler_table(result["pairs"], made["couplers"])]
    parts += ["## Rounds", _round_list(made["rounds"], result)]
    if result["kept_apart"]:
        apart = ", ".join(
            f"{(' and ' if '-' in one['first'] else '-').join((one['first'], one['second']))} ({one['reason']})"
            for one in result["kept_apart"]
        )
        parts.append(f"Kept apart: {apart}.")
    if result["assumptions"]:
        parts.append("## Assumptions\n\n" + "\n".join(f"- {line}" for line in result["assumptions"]))
    return "\n\n".join(parts) + "\n"


def _summary(result: Result, rounds: list[list[str]]) -> str:
    passed = sum(entry["status"] == "complete" for entry in result["qubits"].values())
    together, alone = result["device_seconds"], result["one_by_one_seconds"]
    gain = f", {alone / together:.1f} times less than one by one ({alone:.0f} s)" if together else ""
    plural = "s" if len(rounds) != 1 else ""
    return (
        f"{passed} of {len(result['qubits'])} qubits passed, in {len(rounds)} round{plural} and"
        f" {result['acquisitions']} acquisitions. The device was busy for {together:.0f} s{gain}."
    )


def _upkeep_table(upkeep: dict[str, list[dict[str, Any]]]) -> str:
    names = list(dict.fromkeys(row["node"] for rows in upkeep.values() for row in rows))
    lines = [f"| qubit | {' | '.join(names)} |", f"|---|{'---|' * len(names)}"]
    for qubit, rows in upkeep.items():
        told_of = {row["node"]: row["state"] for row in rows}
        lines.append(f"| {qubit} | {' | '.join(told_of.get(name, '') for name in names)} |")
    told = [
        f"- {qubit} {row['node']}: {row['why']}; {'; '.join(row['details'])}"
        for qubit, rows in upkeep.items()
        for row in rows
        if row["state"] not in ("trusted", "in spec")
    ]
    counts = {state: sum(row["state"] == state for rows in upkeep.values() for row in rows) for state in STATES}
    total = ", ".join(f"{count} {state}" for state, count in counts.items() if count)
    return "\n".join([f"Calibrations: {total}.", "", *lines, *(["", *told] if told else [])])


STATES = ("trusted", "in spec", "recalibrated", "out of spec", "failed")


def _qubit_table(result: Result) -> str:
    lines = [
        "| qubit | | round | drive frequency (MHz) | T1 (us) | error per gate | limit | report |",
        "|---|---|---:|---:|---:|---:|---:|---|",
    ]
    for name, entry in result["qubits"].items():
        t1 = entry["measured"].get("t1.t1")
        error, limit = entry["rb_error_per_gate"], entry["limit_error_per_gate"]
        cells = [
            name,
            WORDS.get(entry["status"], entry["status"])
            + (", benchmarked alone" if entry.get("benchmarked_alone") else ""),
            str(entry["round"]),
            f"{entry['after']['frequency']:.4f}" if entry.get("after") else "",
            f"{t1['value']:.1f} ± {t1['error']:.1f}" if t1 else "",
            f"{error:.3g} ± {entry['rb_error_std']:.2g}" if error is not None else "",
            f"{limit:.3g}" if limit is not None else "",
            ", ".join(f"[{part.rpartition('/')[2]}]({part}/report.md)" for part in entry["parts"]),
        ]
        lines.append(f"| {' | '.join(cells)} |")
    told = [f"- {name}: {entry['cause']}" for name, entry in result["qubits"].items() if entry["cause"]]
    return "\n".join([*lines, *(["", *told] if told else [])])


def _round_list(rounds: list[list[str]], result: Result) -> str:
    return "\n".join(f"{number}. {', '.join(names)}" for number, names in enumerate(rounds, 1))
