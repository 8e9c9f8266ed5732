"""The report of a search as Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from labwright.graphs.feature_map_search.report_summary import Words
from labwright.graphs.feature_map_search.run_context import Workbench
from labwright.graphs.feature_map_search.state import SearchState
from labwright.graphs.feature_map_search.tuning import MARK
from labwright.tools.feature_maps.compared_methods import TITLES

_MARKS = re.compile(r"[\[\]`|]")  # links, pictures, code and cells

FRONT = (
    "No other map that was tried is as accurate, as far from classical kernels and as shallow as one of these. g is the"
    " geometric difference to the nearest classical kernel (1: none; at most the square root of the samples), s / N the"
    " model complexity for these labels (Huang et al., arXiv:2011.01938). A quantum kernel can only matter where g is"
    " large and s / N is below the classical one. Concentration is the standard deviation off the kernel's diagonal."
)

TUNED = (
    "The words and the formula above are those of the proposal; its constants and C were tuned after that, and the"
    " hyperparameters here, the code and the circuit are those that were used."
)


def markdown(bench: Workbench, state: SearchState, result: dict[str, Any], words: Words) -> str:
    """The whole report."""
    record = bench.run.record
    head = f"Run `{record.run_id}` · {state['status'].upper()} · mind `{bench.mind.name}` · seed {record.seed}"
    parts = ["# Feature-map search", head, f"> {_plain(record.asked)}", _plain(words.summary)]
    if words.cautions:
        parts.append("## Look at this first\n\n" + _bullets(map(_plain, words.cautions)))
    if "feature_map" in result:
        parts += [_accuracies(result), _winner(bench, result)]
    if figures := sorted((bench.run.folder / "figures").glob("*.png")):
        parts.append("\n\n".join(f"![{path.stem}](figures/{path.name})" for path in figures))
    parts += [_landscape(result), _hardware(result), _trials(result), _untried(result), _data(result)]
    if result["assumptions"]:
        parts.append("## Assumptions\n\n" + _bullets(map(_plain, result["assumptions"])))
    return "\n\n".join(part for part in parts if part) + "\n"


def _bullets(lines: Iterable[str]) -> str:
    return "\n".join(f"- {line}" for line in lines)


def _plain(text: str) -> str:
    """Words of a model, a file or a person on one line, so that a reader's program shows them and obeys nothing."""
    line = " ".join("".join(char if char.isprintable() else " " for char in text).split())
    line = _MARKS.sub(r"\\\g<0>", line.replace("<", "&lt;"))
    return f"\\{line}" if line[:1] in tuple("#>-+*=~") else line


def _accuracies(result: dict[str, Any]) -> str:
    """Winner and baselines, best test accuracy first once the test part is open."""
    own = {"validation_accuracy": result["validation_accuracy"], "test_accuracy": result["test_accuracy"]}
    named = {f"**{result['feature_map']['name']}**": own}
    named |= {TITLES.get(name, name): one for name, one in result["baselines"].items()}
    rows = sorted(named.items(), key=lambda row: -_level(row[1]))
    lines = ["## Accuracy", "", "| method | validation | test | evaluations | p | |", "|---|--:|--:|--:|--:|---|"]
    lines += [_method_row(name, one) for name, one in rows]
    if result["test_accuracy"] is None:
        lines += ["", "The test part was not opened."]
    else:
        times = "not for the first time" if result["test_part_was_opened_before"] else "once"
        lines += ["", f"The test part was opened {times}, at the end ({_plain(result['ended'].rstrip('.'))})."]
    return "\n".join(lines)


def _level(one: dict[str, Any]) -> float:
    return float(next((one[part] for part in ("test_accuracy", "validation_accuracy") if one[part] is not None), -1.0))


def _method_row(name: str, one: dict[str, Any]) -> str:
    if one.get("why_not"):
        return f"| {name} | - | - | - | - | not applicable: {_plain(one['why_not'])} |"
    numbers = f"{_number(one['validation_accuracy'])} | {_number(one['test_accuracy'])}"
    p = f"{one['p']:.2g}" if "p" in one else ""
    said = {"better": "the map is better", "worse": "the map is worse", "open": "open"}.get(one.get("verdict", ""), "")
    return f"| {name} | {numbers} | {one.get('evaluations', '')} | {p} | {said} |"


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.4f}"


def _winner(bench: Workbench, result: dict[str, Any]) -> str:
    found = result["feature_map"]
    circuit = found["circuit"]
    chosen = (
        ", ".join(f"{name} = {_plain(_shown(value))}" for name, value in found["hyperparameters"].items()) or "none"
    )
    facts = [
        f"Found in trial {found['trial']}; selection score {_number(found['selection'])}"
        f" (validation {_number(found['validation_accuracy'])},"
        f" cross-validation {_number(found['cross_validation'])}).",
        f"{circuit['gates']} gates on {circuit['n_qubits']} qubits, {circuit['two_qubit_gates']} of them on two or"
        f" more, depth {circuit['depth']}; {circuit['n_features']} features.",
        f"Hyperparameters: {chosen}; penalty C = {found['penalty']:.6g}.",
        *([TUNED] if found["name"].endswith(MARK) else []),
        f"Kernel-target alignment {_number(found['alignment'])}, concentration {_number(found['concentration'])}.",
        f"As written it works at {', '.join(map(str, circuit['works_at']))} qubits.",
        ("Its unitaries commute. " if found["commuting"] else "")
        + "Its kernel depends on differences of the features only (shift-invariant, as classical Fourier kernels are)."
        if found["shift_invariant"]
        else "Its kernel depends on the features themselves, not on their differences only.",
        *map(_plain, circuit["notes"]),
        *(f"{kind}: `{path}`" for kind, path in result.get("files", {}).items()),
    ]
    formula = " ".join(found["formula"].replace("$", "").replace("<", r"\lt ").split())
    return f"## {found['name']}\n\n{_plain(found['summary'])}\n\n$${formula}$$\n\n{_bullets(facts)}"


def _shown(value: Any) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def _trials(result: dict[str, Any]) -> str:
    lines = ["## Trials", "", "| trial | best | validation | selection | best selection so far |"]
    lines.append("|--:|---|--:|--:|--:|")
    for row in result["trajectory"]:
        numbers = (row["validation_accuracy"], row["selection"], row["best_selection_so_far"])
        lines.append(f"| {row['trial']} | {row['best'] or '-'} | " + " | ".join(map(_number, numbers)) + " |")
    return "\n".join(lines)


def _landscape(result: dict[str, Any]) -> str:
    """The maps on the Pareto front, and what their columns mean."""
    front = sorted((one for one in result["landscape"] if one["on_front"]), key=lambda one: -one["selection"])
    if not front:
        return ""
    lines = ["## Where a quantum kernel could matter", "", FRONT, ""]
    lines += [
        "| map | selection | g | training part | s / N | classical s / N | two-qubit depth | concentration | kind |"
    ]
    lines.append("|---|--:|--:|--:|--:|--:|--:|--:|---|")
    for one in front:
        names = ("selection", "geometric_difference", "training_difference", "complexity", "classical_complexity")
        kind = "commuting" if one["commuting"] else "differences only" if one["shift_invariant"] else "-"
        numbers = " | ".join(f"{one[name]:.4g}" for name in names)
        row = f"{numbers} | {one['two_qubit_depth']} | {one['concentration']:.3g} | {kind}"
        lines.append(f"| {one['name']} | {row} |")
    return "\n".join(lines)


def _hardware(result: dict[str, Any]) -> str:
    """What finite shots and a calibrated chip make of the winner."""
    if not result.get("shots"):
        return ""
    lines = ["## On a processor", "", "| shots an entry | test accuracy | error of an entry |", "|--:|--:|--:|"]
    for row in result["shots"]:
        accuracy = f"{row['accuracy']:.4f}" + (f" ± {row['std']:.4f}" if row["shots"] else "")
        lines.append(f"| {row['shots'] or 'exact'} | {accuracy} | {row['kernel_error']:.4f} |")
    if not (chip := result["processor"]):
        return "\n".join(lines)
    errors, entries = chip["errors"], len(chip["measured"])
    said = (
        f"Measured on {', '.join(chip['qubits'])} as `{chip['calibration']}` left them: {entries} entries of"
        f" {chip['shots']} shots, {chip['train']} training and {chip['test']} test samples, {chip['cz_gates']:.1f} CZ"
        f" and {chip['quarter_turns']:.1f} quarter turns a circuit, {chip['seconds']:.0f} s of device time. The"
        f" prediction takes the errors that the calibration measured: {errors['single']:.2e} a quarter turn,"
        f" {errors['pair']:.2e} a CZ."
    )
    lines += ["", said, ""]
    lines += ["| kernel | accuracy on these samples | deviation of the chip from it |", "|---|--:|--:|"]
    lines.append(f"| without errors | {chip['exact_accuracy']:.4f} | {chip['exact_deviation']:.4f} |")
    lines.append(f"| predicted | {chip['predicted_accuracy']:.4f} | {chip['predicted_deviation']:.4f} |")
    lines.append(f"| the chip | {chip['measured_accuracy']:.4f} | shots alone: {chip['shot_error']:.4f} |")
    return "\n".join(lines)


def _untried(result: dict[str, Any]) -> str:
    """What was thought of and not evaluated, and why."""
    rows = [row for row in result["tried"] if not row["cost"]]
    if not rows:
        return ""
    lines = ["## Not evaluated, and why", "", "| trial | idea | outcome | reason |", "|--:|---|---|---|"]
    for row in rows:
        reason = _plain(row["reason"].replace("|", "/"))
        outcome = "repeated" if row["outcome"] == "evaluated" else row["outcome"]
        lines.append(f"| {row['trial']} | {row['name']} | {outcome} | {reason} |")
    return "\n".join(lines)


def _data(result: dict[str, Any]) -> str:
    facts = result["data"]
    parts = ("train", "validation", "test")
    sizes = ", ".join(f"{facts[f'n_{part}']} {part}" for part in parts if f"n_{part}" in facts)
    lines = [
        f"{_plain(result['dataset'])}: {sizes}; {facts.get('n_classes', '?')} classes; seed {facts.get('seed', '?')}."
    ]
    lines += [f"{facts['preprocessing']}."] if "preprocessing" in facts else []
    return "## Data\n\n" + _bullets([*lines, *map(_plain, facts.get("notes", []))])
