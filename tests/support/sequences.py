"""Short sequences for tests."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from labwright.graphs.sequence.choices import Choices
from labwright.graphs.sequence.running import SEQUENCE
from labwright.tools.runs.run import load_run, run_ids

TWO = """
system: sequence
title: Two steps
steps:
  - label: rough
    spec: {system: lab_calibration, seed: 3, steps: ["t1 Q1, points = 21, shots = 500"]}
  - label: fine
    spec:
      system: lab_calibration
      seed: 3
      steps:
        - experiment: t1
          qubits: [Q1]
          parameters: {points: 21, stop: {from: rough.qubits.Q1.measured.t1.t1, times: 4}}
"""
PRELOADED = ("labwright.graphs.sequence.running", "labwright.graphs.lab_calibration.running")


def run(text: str, root: Path, **more: Any) -> Any:
    """Run a sequence of unapproved steps below `root`."""
    choices = Choices.model_validate({"folder": str(root.parent), "approval": "auto", **more.pop("choices", {})})
    return SEQUENCE.start(text, choices, root, **more)


def sequence_in(root: Path) -> str:
    """The id of the one sequence below `root`."""
    [name] = [name for name in run_ids(root) if load_run(root / name).record.system == "sequence"]
    return name


def live(root: Path) -> None:
    """One process of a sequence: it begins, or goes on with the one that is there."""
    if run_ids(root):
        SEQUENCE.resume(sequence_in(root), root)
    else:
        run(TWO, root)
