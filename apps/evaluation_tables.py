"""How summaries of suites look on a terminal: accuracies with their spread, differences with their errors."""

from __future__ import annotations

from typing import Any

from rich.table import Table

from labwright.apps.screen import escape
from labwright.apps.search_summary import OURS, TITLES

MINUS = "minus "


def suites_table(about: dict[str, str]) -> Table:
    """Names of suites, and what each says of itself."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("suite", no_wrap=True)
    table.add_column("what it does")
    for name, said in about.items():
        table.add_row(escape(name), escape(said))
    return table


def spread_table(summary: dict[str, Any]) -> Table | None:
    """Every group's test accuracy and, below it, each kernel's with the paired difference; None if it has no such.

    Args:
        summary: of a suite of searches: ``{group: {test, "test sd", <kernel>, "<kernel> sd", "minus <kernel>",
            "minus <kernel> se"}}``, accuracies 0 .. 1.
    """
    groups = {name: entry for name, entry in summary.items() if isinstance(entry, dict) and "test" in entry}
    if not groups:
        return None
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("")
    table.add_column("kernel")
    table.add_column("test", justify="right")
    table.add_column("found minus this (pp)", justify="right")
    for name, entry in groups.items():
        table.add_row(escape(name), TITLES[OURS], _with(entry, "test", "test sd", 4), "")
        for kernel in [key.removeprefix(MINUS) for key in entry if key.startswith(MINUS) and not key.endswith(" se")]:
            difference = _with(entry, MINUS + kernel, f"{MINUS}{kernel} se", 2, points=True)
            table.add_row("", TITLES.get(kernel, escape(kernel)), _with(entry, kernel, f"{kernel} sd", 4), difference)
    table.caption = "test: mean ± standard deviation over seeds; paired difference ± standard error"
    table.caption_justify = "left"
    return table


def _with(entry: dict[str, float], name: str, error: str, digits: int, *, points: bool = False) -> str:
    """A number with its error; differences in percentage points, with their sign."""
    if name not in entry:
        return "-"
    factor = 100.0 if points else 1.0
    shown = f"{factor * entry[name]:{'+' if points else ''}.{digits}f}"
    return f"{shown} ± {factor * entry[error]:.{digits}f}" if error in entry else shown
