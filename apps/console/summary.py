"""The main results of a run in a few rows, and the figure that shows most of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from html import escape
from pathlib import Path
from typing import Any
from urllib.parse import quote

from labwright.apps.console.files import pictures
from labwright.apps.numbers import seconds, with_error
from labwright.apps.terminal_output import legible
from labwright.graphs.front_desk.facts import findings, result_of
from labwright.tools.errors import CorruptRecordError, RecordError
from labwright.tools.runs import Run, load_run, read_result, run_ids

MOST = 14  # rows
MOST_RUNS = 300  # the newest, among which forks are looked for
MEASURED = "lab_calibration"
# Estimates as a physicist calls them: their own names, or with the experiment's where that alone says what they are.
TITLES = {
    "amplitude_pi": "X180 amplitude",
    "amplitude_pi2": "X90 amplitude",
    "drag_calibration.optimum": "DRAG coefficient",
    "error_per_gate": "error per gate",
    "limit_error_per_gate": "error per gate that T1 and echo allow",
    "t1": "T1",
    "t2_echo": "T2 echo",
    "t2_ramsey": "T2 Ramsey",
}
SHORT = 24  # characters of a value that is not broken
SMALL = 3  # measurements up to which the last one tells more than the overview


def key_results(run: Run) -> dict[str, str]:
    """Name -> value with its error and unit; empty while the run goes on. Reads the run's document."""
    found = findings(run)
    if run.record.system == MEASURED:
        found = dict(_measured(result_of(run))) | {k: v for k, v in found.items() if k.endswith("(not accepted)")}
    return dict(list(found.items())[:MOST])


def _measured(result: dict[str, Any]) -> Iterator[tuple[str, str]]:
    for qubit, entry in result.get("qubits", {}).items():
        measured, after, before = (entry.get(name) or {} for name in ("measured", "after", "before"))
        if after.get("frequency") != before.get("frequency"):
            error = (measured.get("ramsey.frequency_error") or {}).get("error")
            yield f"{qubit} frequency", with_error(after["frequency"], error, "MHz")
        main = {name: one for name, one in measured.items() if one.get("main")} or measured
        often = Counter(name.partition(".")[2] for name in main)
        for name in sorted(main, key=lambda each: "per_gate" not in each):  # what a calibration is for comes first
            experiment, _, what = name.partition(".")
            known, one = TITLES.get(what) or TITLES.get(name), main[name]
            plain = what == experiment or (known and often[what] == 1)
            title = f"{known or what}{'' if plain else f' ({experiment})'}".replace("_", " ")
            yield f"{qubit} {title}", with_error(one.get("value"), one.get("error"), one.get("unit", ""))
        if not main and entry.get("rb_error_per_gate") is not None:
            yield f"{qubit} error per gate", with_error(entry["rb_error_per_gate"], entry.get("rb_error_std"))


def duration(run: Run) -> str:
    """Wall time of an ended run in words; empty before."""
    try:
        spent = (read_result(run) or {}).get("seconds")
    except CorruptRecordError:
        return ""
    return seconds(float(spent)) if spent else ""


def family(root: Path, run: Run) -> str:
    """The runs that share the run's past, as nested lists of links; empty where it is alone. Reads every record."""
    parents: dict[str, dict[str, Any]] = {}
    for name in run_ids(root)[-MOST_RUNS:]:
        try:
            parents[name] = load_run(root / name).record.parent or {}
        except RecordError:
            continue
    first, seen = run.run_id, {""}
    while (older := str(parents.get(first, {}).get("run_id", ""))) in parents and older not in seen:
        seen.add(first)
        first = older
    branches: dict[str, list[str]] = {}
    for name, parent in parents.items():
        branches.setdefault(str(parent.get("run_id", "")), []).append(name)
    return f"<ul>{_branch(first, run.run_id, branches, parents)}</ul>" if branches.get(first) else ""


def _branch(name: str, here: str, branches: dict[str, list[str]], parents: dict[str, dict[str, Any]]) -> str:
    """One run and those that were forked from it; a damaged record that makes a circle ends where it closes."""
    shown, kept = escape(legible(name)), parents.get(name, {}).get("stage")
    link = f"<b>{shown}</b> (this run)" if name == here else f'<a href="/run/{quote(name)}">{shown}</a>'
    below = "".join(_branch(one, here, branches, parents) for one in branches.pop(name, []))
    since = f", from stage run {int(kept)} on" if kept is not None else ""
    return f"<li>{link}{since}{below and f'<ul>{below}</ul>'}</li>"


def main_figure(run: Run) -> str:
    """Path of the figure that matters in the run's folder; empty without any."""
    paths = pictures(run)
    for name in ("trajectory", "plate_map", "chip"):
        if found := [path for path in paths if path.endswith(f"/{name}.png")]:
            return found[0]
    single = [path for path in paths if not path.endswith("/overview.png")]
    return single[-1] if single and (len(single) <= SMALL or single == paths) else (paths or [""])[-1]


def results_table(found: dict[str, str]) -> str:
    """`key_results` as HTML; every word is escaped."""
    rows = "".join(
        f'<tr><th scope="row">{escape(legible(name))}</th>'
        f"<td{' class=lw-number' if len(value) <= SHORT else ''}>{escape(legible(value))}</td></tr>"
        for name, value in found.items()
    )
    return f'<table class="lw-table lw-results">{rows}</table>' if rows else ""
