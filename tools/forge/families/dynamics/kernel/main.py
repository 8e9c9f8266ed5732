"""Compute the card that lies in ``card.json``: results, tables and figures."""

from __future__ import annotations

import importlib
import json
from pathlib import Path

from .figures import figures
from .solve import solved, write


def main() -> None:
    """Write ``results/dynamics.json``, ``tables/*.csv`` and ``img/*.png``."""
    task = json.loads(Path("card.json").read_text())
    results = solved(task["card"], print)
    for path in write(results, task["card"], Path()):
        print(path)  # noqa: T201
    for tool, given in figures(task["card"], results["records"]):
        module = importlib.import_module(task["tools"][tool])
        kind = getattr(module, "".join(word.capitalize() for word in tool.split("_")) + "Input")
        print(getattr(module, tool)(kind(**given)).path)  # noqa: T201
