"""The main results of a run in a few rows, and the figure that shows most of them."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from typing import Any

from labwright.apps.console.files import pictures
from labwright.apps.numbers import with_error
from labwright.apps.screen import legible
from labwright.graphs.front_desk.facts import findings, result_of
from labwright.tools.runs import Run

MOST = 14  # rows
MEASURED = "lab_calibration"
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
        if entry.get("rb_error_per_gate") is not None:
            yield f"{qubit} error per gate", with_error(entry["rb_error_per_gate"], entry.get("rb_error_std"))
            if entry.get("limit_error_per_gate"):
                yield f"{qubit} limit by coherence", with_error(entry["limit_error_per_gate"], None)
        main = {name: one for name, one in measured.items() if one.get("main")} or measured
        for name, one in main.items():
            experiment, _, what = name.replace("_", " ").partition(".")
            yield f"{qubit} {what} ({experiment})", with_error(one.get("value"), one.get("error"), one.get("unit", ""))


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
        f'<tr><th scope="row">{escape(legible(name))}</th><td class="lw-number">{escape(legible(value))}</td></tr>'
        for name, value in found.items()
    )
    return f'<table class="lw-table lw-results">{rows}</table>' if rows else ""
