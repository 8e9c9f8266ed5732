"""Short calibrations for tests: documents, people who answer, and what a run left behind."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from labwright.graphs.lab_calibration.choices import Choices
from labwright.graphs.lab_calibration.running import CalibrationRequest, Outcome, start
from labwright.graphs.questions import Answer, Question
from labwright.tools.runs.pause_request import request_pause
from labwright.tools.runs.run import open_run

CALIBRATED: dict[str, float | str] = {"frequency_offset": 0.0, "amplitude_error": 0.0, "drag": 1.0}
ONE_STAGE = "Measure T1 of Q1"
TWO_STAGES = """# Look at 'dut'
## Steps
- Measure T1 of 'dut'.
- Measure the spin echo of 'dut'.
"""
FREQUENCY = """# Find the frequency and amplitude of 'dut'
## Steps
- ramsey 'dut', offset = 3 MHz, stop = 0.5 us. Repeat at most 8 times. If exhausted, go to FAILED.
- rabi 'dut'.
- Measure T1 of 'dut'.
"""


def calibrate(text: str, root: Path, *, on_question: Any = None, on_event: Any = None, **choices: Any) -> Outcome:
    """Run a calibration below `root`; of a calibrated device, seed 3, without figures, unless said otherwise."""
    usual = {"seed": 3, "figures": False, "device_options": CALIBRATED}
    request = CalibrationRequest(text, Choices.model_validate(usual | choices))
    return start(request, root, on_question=on_question, on_event=on_event)


def pause_at(kind: str, root: Path) -> Callable[[dict[str, Any]], Any]:
    """For `on_event`: ask the newest run below `root` to pause when an event of this kind is written."""
    return lambda event: event["kind"] == kind and request_pause(open_run(root, "latest"))


def calls(outcome: Outcome) -> list[tuple[str, dict[str, Any]]]:
    """Experiment and arguments of every measurement, from the journal."""
    events = open_run(outcome.run_dir.parent, outcome.run_id).events.read()
    return [(event["experiment"], event["arguments"]) for event in events if event["kind"] == "measured"]


def side_by_side(*steps: str, qubits: Sequence[str] = (), couplers: Sequence[str] = ()) -> str:
    """A plan in YAML whose steps each of `qubits` gets, or all of the device; 'dut' stands for the qubit."""
    chosen = ", ".join(qubits)
    lines = ["system: lab_calibration", f"for: [{chosen}]" if qubits else "for: all"]
    lines += [f"couplers: [{', '.join(couplers)}]"] if couplers else []
    return "\n".join([*lines, "steps:", *(f"  - {step}" for step in steps), ""])


@dataclass
class Person:
    """Answers questions with scripted decisions in order, then with `rest`; an empty `rest` leaves the run waiting."""

    script: list[str | tuple[str, dict[str, Any]]] = field(default_factory=list)
    rest: str = ""
    asked: list[Question] = field(default_factory=list)

    def __call__(self, question: Question) -> Answer | None:
        self.asked.append(question)
        said = self.script.pop(0) if self.script else self.rest
        if not said:
            return None
        decision, value = said if isinstance(said, tuple) else (said, {})
        return Answer(id=question.id, decision=decision, value=value)


def fingerprint(folder: Path, but: Callable[[Path], bool] = lambda _path: False) -> dict[str, str]:
    """Path -> hash of every file below `folder`, except where `but` holds."""
    files = [path for path in sorted(folder.rglob("*")) if path.is_file() and not but(path)]
    return {str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}
