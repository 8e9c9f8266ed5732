"""Compute the card that lies in ``card.json``: results, tables and figures."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from .figures import figures
from .solve import solved, write


def main(plots: Mapping[str, tuple[Callable[..., Any], Callable[..., Any]]]) -> None:
    """Write ``results/dynamics.json``, ``tables/*.csv`` and ``img/*.png``.

    Args:
        plots: name of a plotting tool -> the tool, and the type of its input.
    """
    card = json.loads(Path("card.json").read_text())
    results = solved(card, print)
    for path in write(results, card, Path()):
        print(path)
    for name, given in figures(card, results["records"]):
        tool, kind = plots[name]
        print(tool(kind(**given)).path)
