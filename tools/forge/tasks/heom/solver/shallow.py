"""A shallow hierarchy, with and without terminator and with more terms, for comparison."""

from __future__ import annotations

from typing import Any

from labwright.results import parameter, record

from .main import Given, apart, axes, propagated

DEPTH = 2  # one to two seconds for seven sites, and populations within about 0.02 of depth 4


def main(given: Given, tools: Any) -> None:
    """Record what the terms and the terminator change.

    Raises:
        SystemExit: the trace is not kept.
    """
    depth = min(DEPTH, given["depth"])
    parameter(depth=depth)
    for case in given["cases"]:
        labels = case["labels"]
        made = propagated(given, tools, case, depth=depth)
        closed = propagated(given, tools, case, depth=depth, terminator=True)
        more = propagated(given, tools, case, depth=depth, terminator=True, terms=given["terms"] + 2)
        series = apart(made.populations, more.populations)
        print(f"{labels} depth {depth}: trace error {made.trace_error:.1e}, series beyond the terms {series:.4f}")
        if made.trace_error > 1e-4:
            raise SystemExit("The trace is not kept: look at the baths and the tolerances.")
        record("population", made.populations, axes=axes(given, sites=True), labels=labels)
        record("series_error", series, labels=labels)
        record("terminator_effect", apart(made.populations, closed.populations), labels=labels)
