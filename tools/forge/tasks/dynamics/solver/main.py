"""Compute a card: results, tables and figures."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from .figures import figures
from .solve import solved, write


def main(card: Mapping[str, Any], tools: Any) -> None:
    """Write ``results/dynamics.json``, ``tables/*.csv`` and ``img/*.png``, with the plotting tools."""
    results = solved(card, print)
    for path in write(results, card, Path()):
        print(path)
    for name, given in figures(card, results["records"]):
        print(getattr(tools, name)(**given).path)
