"""The smallest real run of each system, and what makes two of them equal."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import numpy as np

from labwright.agents.front_desk.actions import System as Name
from labwright.graphs.questions import Answer, Question
from labwright.graphs.registry import choices_type, driver
from labwright.graphs.running import Outcome
from labwright.tools.specifications.examples import example

PROTOCOL = """\
system: protocol_design
title: Caffeine standards
chemicals: [{name: caffeine}, {name: water}]
stocks:
  - {name: 10 mM caffeine, solute: caffeine, solvent: water, concentration: 10 mM, basis: M}
groups:
  - factors: [{name: level, levels: [0.1 mM, 0.2 mM, 0.5 mM]}]
    doses:
      - {substance: caffeine, kind: molarity, factor: level, via: 10 mM caffeine}
      - {substance: water, kind: remainder}
    total_volume: 1 mL
conditions:
  - {kind: mix, by: vortex, time: 5 min}
"""
UNATTENDED = {"approval": "auto", "answers": "defaults"}
MODEL = "openai:scripted"


@dataclass(frozen=True, slots=True)
class Small:
    """One run: its system, what is asked, and the choices.

    Attributes:
        data: file of data below the bench's folder that the choices name as `dataset`.
        model: whether a chat model reads the words.
    """

    system: str
    text: str
    choices: dict[str, Any]
    data: str = ""
    model: bool = False

    def choices_in(self, bench: Path) -> Any:
        """The choices, with files of the folder `bench`."""
        named = {"dataset": str(bench / self.data)} if self.data else {}
        return choices_type(cast(Name, self.system)).model_validate({**self.choices, **named})


# One measurement and one change of a setting; two questions to a person; a search of one trial; a script in a job.
RUNS = {
    "calibration": Small(
        "lab_calibration",
        "rabi Q1",
        {**UNATTENDED, "seed": 3, "figures": False, "device_options": {"amplitude_error": -0.15, "drag": 1.0}},
    ),
    "design": Small(
        "protocol_design", f"---\n{PROTOCOL}---\nCaffeine standards.\n", {"approval": "always", "figures": False}
    ),
    "search": Small(
        "feature_map_search",
        "Find a map for three clouds",
        {
            **UNATTENDED,
            "qubits": 3,
            "features": 6,
            "trials": 1,
            "ideas": 1,
            "figures": False,
            "preparation": "min-max",
            "baselines": ("rbf_default",),
        },
        data="clouds.npz",
    ),
    "forge": Small("tool_forging", example("task", "circuit"), {"mode": "direct"}),
    "calibration by a model": Small(
        "lab_calibration",
        "How long does Q1 live?",
        {**UNATTENDED, "seed": 3, "figures": False, "mind": MODEL},
        model=True,
    ),
    "design by a model": Small(
        "protocol_design",
        "Prepare standards of caffeine in water with 0.1, 0.2 and 0.5 mM caffeine from a 10 mM stock of caffeine in"
        " water. The total volume of each is 1 mL. Vortex for 5 minutes.",
        {"approval": "auto", "figures": False, "mind": MODEL},
        model=True,
    ),
}
WARM = ("calibration", "design")  # they leave no process and no open file behind


def make_data(bench: Path) -> None:
    """Three clouds of points in eight dimensions that overlap a little."""
    random = np.random.Generator(np.random.Philox(key=5))
    y = np.arange(120) % 3
    np.savez(bench / "clouds.npz", X=random.normal(size=(3, 8))[y] * 0.7 + random.normal(size=(120, 8)), y=y)


def person(question: Question) -> Answer:
    """Somebody who lets the run go on, and always answers the same."""
    return Answer(id=question.id, decision=question.options[0].value if question.options else "yes")


def live(
    name: str, bench: Path, root: Path, *, run_id: str = "", rebuild: bool = False, answer: Any = person
) -> Outcome:
    """Begin the small run `name` below `root`, or go on with `run_id`."""
    small = RUNS[name]
    system = driver(small.system)
    if run_id:
        return system.resume(run_id, root, rebuild=rebuild, on_question=answer)
    seed = int(small.choices.get("seed", 0))
    return system.start(small.text, small.choices_in(bench), root, seed=seed, on_question=answer)
