"""Writes a suite's result with what it takes to judge it later: date, commit, mind, seeds, seconds, machine.

``python -m labwright.evaluation.results calibration`` runs a suite and writes ``evaluation/results/calibration.json``.
"""

from __future__ import annotations

import os
import platform
import sys
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from labwright import __version__
from labwright.evaluation import suites
from labwright.evaluation.committed import FOLDER
from labwright.tools.checkout import commit
from labwright.tools.durable import write_atomic
from labwright.tools.runs.files import to_json


def record(name: str, folder: Path = FOLDER, **options: Any) -> Path:
    """Run the suite `name` and write its result; returns the file.

    Raises:
        InputError: no such suite, or no such option.
    """
    begun = time.monotonic()
    result = suites.run(name, on_progress=_say, **options)
    path = folder / f"{name}.json"
    write_atomic(path, to_json({**provenance(time.monotonic() - begun), **result}))
    return path


def provenance(seconds: float) -> dict[str, Any]:
    """When, with which code and on what kind of machine; no paths and no names."""
    return {
        "date": datetime.now(UTC).date().isoformat(),
        "commit": commit(),
        "version": __version__,
        "seconds": round(seconds, 1),
        "python": platform.python_version(),
        "cores": os.cpu_count(),
    }


def _say(line: str) -> None:
    sys.stderr.write(f"{line}\n")


if __name__ == "__main__":
    for wanted in sys.argv[1:] or ["calibration", "spoilt", "fixed_script"]:
        _say(str(record(wanted)))
