"""A calibration system without a device: it plays back events, asks, and ends as it is told."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from labwright.apps.cli import app
from labwright.graphs.lab_calibration import running
from labwright.graphs.lab_calibration.choices import Choices
from labwright.graphs.lab_calibration.running import CalibrationRequest, Outcome
from labwright.graphs.questions import Question
from labwright.tools.runs import Run, create_run, open_run

ESTIMATE = {"value": 1.5021, "error": 0.0031, "unit": "MHz"}
EVENTS: list[dict[str, Any]] = [
    {"kind": "stage_started", "stage": "Stage1", "instruction": "Ramsey on Q1", "path": "p", "attempt": 1},
    {"kind": "answer", "agent": "lab_calibration.translate", "reason": "", "tokens": 0},
    {"kind": "translated", "call": "ramsey(qubit='Q1', stop=0.5)"},
    {"kind": "measured", "experiment": "ramsey", "device_seconds": 0.2, "figure": "figures/a.png"},
    {
        "kind": "inspected",
        "verdict": "adjust",
        "diagnosis": "too few oscillations",
        "estimates": {"detuning": ESTIMATE},
    },
    {"kind": "decided", "next": "Stage1", "reason": "again", "changes": {"stop": 2.0}},
    {"kind": "stage_started", "stage": "Stage1", "instruction": "Ramsey on Q1", "path": "p", "attempt": 2},
    {"kind": "inspected", "verdict": "success", "diagnosis": "", "estimates": {"detuning": ESTIMATE}},
    {"kind": "decided", "next": "COMPLETE", "reason": "done", "changes": {}},
]
QUBIT = {
    "before": {"frequency": 4871.7, "amplitude_pi": 0.23, "drag": 0.0},
    "after": {"frequency": 4870.2, "amplitude_pi": 0.2, "drag": 0.0},
    "rb_error_per_gate": 7.66e-4,
    "rb_error_std": 2e-5,
    "limit_error_per_gate": 7.0e-4,
    "measured": {"single_qubit_rb.error_per_gate": {"value": 7.66e-4, "error": 2e-5, "unit": ""}},
}


@dataclass
class FakeCalibration:
    """Stands where `CALIBRATION` of `labwright.graphs.lab_calibration.running` stands."""

    status: str = "complete"
    reason: str = ""
    question: Question | None = None
    during: Callable[[], None] = lambda: None
    requests: list[CalibrationRequest] = field(default_factory=list)
    answers: list[Any] = field(default_factory=list)

    def start(
        self, text: str, choices: Choices, root: Path, *, seed: int, files: Any, on_event: Any, on_question: Any
    ) -> Outcome:
        self.requests.append(CalibrationRequest(text, choices))
        made = create_run(root, "lab_calibration", text, choices.model_dump(mode="json"), seed)
        return self._go(made, on_event, on_question, {})

    def resume(
        self,
        run_id: str,
        root: Path,
        *,
        answers: Any,
        budget: Any,
        rebuild: bool,
        adopt: bool,
        on_event: Any,
        on_question: Any,
    ) -> Outcome:
        return self._go(open_run(root, run_id), on_event, on_question, answers)

    def fork(self, run_id: str, root: Path, *, stage: int) -> str:
        old = open_run(root, run_id).record
        parent = {"run_id": run_id, "stage": stage}
        return create_run(root, old.system, old.asked, old.choices, old.seed, parent=parent).run_id

    def _go(self, run: Run, on_event: Any, on_question: Any, answers: dict[str, Any]) -> Outcome:
        for event in [{"kind": "run_started", "run_id": run.run_id}, *EVENTS]:
            run.events.append(event)
            on_event(event)
        self.during()
        status, questions = self.status, []
        if self.question is not None:
            answer = answers.get(self.question.id) or (on_question(self.question) if on_question else None)
            self.answers.append(answer)
            if answer is None:
                status, questions = "stopped", [self.question.model_dump()]
        return self._end(run, status, questions)

    def _end(self, run: Run, status: str, questions: list[dict[str, Any]]) -> Outcome:
        artifact = run.save_text("report.md", "# Report\n", kind="report")
        result = {"qubits": {"Q1": QUBIT}, "stages": [{}, {}]} if status == "complete" else {}
        document = {"run_id": run.run_id, "system": "lab_calibration", "status": status, "reason": self.reason}
        document |= {"questions": questions, "result": result, "artifacts": [artifact.as_dict()], "seconds": 1.0}
        run.save_json("result.json", document)
        run.events.append({"kind": "run_finished", "status": status})
        return Outcome(run.run_id, status, self.reason, result, questions, run.folder, document)  # type: ignore[arg-type]


@pytest.fixture
def fake() -> FakeCalibration:
    return FakeCalibration()


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty runs folder that the commands use; no settings of the machine leak in."""
    monkeypatch.setenv("LABWRIGHT_RUNS", str(tmp_path / "runs"))
    monkeypatch.delenv("LABWRIGHT_MODEL", raising=False)
    monkeypatch.chdir(tmp_path)
    return tmp_path / "runs"


@pytest.fixture
def command(fake: FakeCalibration, root: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Result]:
    """Runs one command line in this process."""
    monkeypatch.setattr(running, "CALIBRATION", fake)

    def run(*arguments: str) -> Result:
        return CliRunner().invoke(app, list(arguments))

    return run
