"""How summaries of suites look on a terminal: accuracies with their spread, differences with their errors."""

from __future__ import annotations

from typing import Any

from rich.table import Table

from labwright.apps.search_summary import OURS_TITLE
from labwright.apps.terminal_output import escape, out, plain_table
from labwright.tools.feature_maps.compared_methods import TITLES

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
    numbers = ("test", "found minus this (pp)")
    table = plain_table("", "kernel", *numbers, right=numbers)
    for name, entry in groups.items():
        table.add_row(escape(name), OURS_TITLE, _with(entry, "test", "test sd", 4), "")
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


def show_comparison(found: dict[str, Any]) -> None:
    """The cases whose outcome is not the same, then counts, p-value and numbers."""
    if found["changed"]:
        table = plain_table("case", "seed", "A", "B")
        for one in found["changed"]:
            table.add_row(escape(one["case"]), str(one["seed"]), one["a"], one["b"])
        out().print(table)
    for line in _comparison_lines(found):
        out().print(escape(line), soft_wrap=True)


def _comparison_lines(found: dict[str, Any]) -> list[str]:
    low, high = found["interval"]
    lines = [
        f"{name}: {', '.join(f'{key} {value}' for key, value in found[name.lower()].items() if value is not None)}"
        for name in ("A", "B")
    ]
    lines += [
        f"{found['n']} pairs: both right {found['both']}, only A {found['only_a']}, only B {found['only_b']},"
        f" neither {found['neither']}",
        f"B minus A: {100 * found['difference']:+.1f} points (95 %: {100 * low:+.1f} to {100 * high:+.1f}),"
        f" p = {found['p']:.3g} (McNemar, exact)",
    ]
    for name, entry in found["numbers"].items():
        low, high = entry["interval"]
        if entry["a"] != entry["b"] or low != high:
            lines.append(
                f"{name}: {entry['a']:.4g} and {entry['b']:.4g}, B minus A {entry['difference']:+.3g}"
                f" (95 %: {low:+.3g} to {high:+.3g})"
            )
    if found["crashed"]:
        lines.append(f"left out, crashed in A or B: {', '.join(found['crashed'])}")
    for name, cases in found["unpaired"].items():
        if cases:
            lines.append(f"only in {name.upper()}: {', '.join(cases)}")
    return lines
