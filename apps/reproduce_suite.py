"""``labwright eval reproduce DIR``: the cases of a recorded suite once more, beside what came of them then."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import typer

from labwright.apps.evaluation_tables import show_comparison
from labwright.apps.exits import STOPPED
from labwright.apps.terminal_output import err, escape
from labwright.tools.errors import InputError


def reproduced(
    folder: Path, spec: str | None, agreed: bool, tell: Callable[[str], None], limit: int | None = None
) -> dict[str, Any]:
    """Say what it will cost, ask, run, and show old and new side by side; returns the new result with the comparison.

    Args:
        folder: of the recording.
        spec: who answers now; the recorded model if None.
        agreed: whether the person has agreed to the cost.
        tell: hears progress.
        limit: only the first so many cases; None: all.

    Raises:
        InputError: the recording is not one of a suite, or nobody is there to agree.
        ModelUnavailable: there is no recording.
    """
    from labwright.agents.recordings.manifest import load_manifest  # pydantic, which `--help` can do without
    from labwright.agents.settings import Settings

    work = importlib.import_module("labwright.evaluation.reproduce")
    suites = importlib.import_module("labwright.evaluation.suites")
    manifest = load_manifest(folder)
    wanted = spec or manifest.model
    old = work.recorded_result(folder) if manifest.suite else {}
    recorded = f"Suite {manifest.suite or '(none)'}, recorded {manifest.date} at commit {manifest.commit or '(none)'}"
    err().print(escape(f"{recorded} with {manifest.model}, answered by {manifest.who_answered}."), soft_wrap=True)
    share = min(1.0, limit / max(old["n"] + old["crashed"], 1)) if limit and manifest.suite else 1.0
    _agree(work.estimated(manifest, wanted, Settings(), share), wanted, agreed)
    fewer = {"limit": limit} if limit else {}
    new: dict[str, Any] = work.reproduce(manifest, suites.run, wanted, on_progress=tell, **fewer)
    found = importlib.import_module("labwright.evaluation.result_comparison").compare(old, new)
    show_comparison(found)
    return {**new, "compared": found}


def _agree(estimate: Any, wanted: str, agreed: bool) -> None:
    tokens = f"{estimate.calls} requests, {estimate.input_tokens} input and {estimate.output_tokens} output tokens"
    cost = "unknown; set its price in LABWRIGHT_PRICES" if estimate.cost is None else f"about {estimate.cost:.3g}"
    err().print(escape(f"If {wanted} needs as much as was recorded: {tokens}, cost {cost}."), soft_wrap=True)
    if agreed or estimate.cost == 0:
        return
    if not sys.stdin.isatty():
        raise InputError("Nobody is there to agree to the cost. Say --yes if you do.")
    if not typer.confirm("Go on?", err=True):
        raise typer.Exit(STOPPED)
