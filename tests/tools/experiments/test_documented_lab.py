"""The experiment and the procedure of docs/your-lab.md are what they say."""

import re
from pathlib import Path

import pytest

import labwright

MANUAL = Path(__file__).parents[3] / "docs" / "your-lab.md"


@pytest.fixture
def lab(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    text = MANUAL.read_text()
    folder = tmp_path / "mylab"
    folder.mkdir()
    for kind, name in (("python", "pulse_train.py"), ("markdown", "check.md")):
        block = re.search(rf"```{kind}\n(.*?)```", text, re.DOTALL)
        assert block is not None
        (folder / name).write_text(block[1])
    return folder


def test_the_documented_experiment_is_found_and_runs(lab: Path) -> None:
    outcome = labwright.calibrate(
        "pulse_train Q2",
        lab=str(lab),
        device_options={"amplitude_error": 0.0, "drag": 0.5, "frequency_offset": 0},
    )
    assert outcome.status == "complete"
    kept = outcome.result["qubits"]["Q2"]["measured"]["pulse_train.kept_contrast"]
    assert kept["value"] == pytest.approx(0.99, abs=0.05)  # 0.3 us of relaxation on average


@pytest.mark.slow
@pytest.mark.parametrize(
    ("error", "experiments"), [(0.0, ["pulse_train"]), (0.2, ["pulse_train", "rabi", "amplitude_pingpong"])]
)
def test_the_documented_procedure_tunes_only_what_needs_it(lab: Path, error: float, experiments: list[str]) -> None:
    outcome = labwright.calibrate(
        "Check the pulses of Q2",
        lab=str(lab),
        device_options={"amplitude_error": error, "drag": 0.5, "frequency_offset": 0.0},
    )
    assert outcome.status == "complete", outcome.reason
    assert [row["experiment"] for row in outcome.result["stages"] if row["action"]] == experiments
