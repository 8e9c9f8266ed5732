"""``labwright new-lab``: what it writes works, and its test can fail."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import Result

import labwright
from labwright.apps.new_lab import write_lab
from labwright.tools.errors import InputError

Command = Callable[..., Result]
MANUAL = Path(__file__).parents[2] / "docs" / "your-lab.md"
TUNED: dict[str, float | str] = {"amplitude_error": 0.0, "drag": 0.5, "frequency_offset": 0.0}


def pytest_of(folder: Path) -> subprocess.CompletedProcess[str]:
    """`pytest FOLDER`, as a person would run it from outside."""
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-q", str(folder)]
    environment = os.environ | {"PYTHONDONTWRITEBYTECODE": "1"}
    return subprocess.run(
        command, capture_output=True, text=True, timeout=600, check=False, cwd=folder.parent, env=environment
    )


@pytest.mark.slow
def test_it_writes_a_folder_that_passes_its_own_test(command: Command, tmp_path: Path) -> None:
    done = command("new-lab", str(tmp_path / "mylab"))
    assert done.exit_code == 0, done.stderr
    names = ["README.md", "check_pulses.md", "device.py", "pulse_train.py", "test_lab.py"]
    assert sorted(path.name for path in (tmp_path / "mylab").iterdir()) == names
    assert f"pytest {tmp_path / 'mylab'}" in done.stdout
    ran = pytest_of(tmp_path / "mylab")
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert re.search(r"\b5 passed\b", ran.stdout) or "....." in ran.stdout


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "old", "new", "says"),
    [
        ("pulse_train.py", 'Quantity("", 3, 101)', 'Quantity("lot", 3, 101)', "nobody can convert into"),
        ("pulse_train.py", 'ylabel="fraction read as 1"', 'ylabel=""', "no y label"),
        ("pulse_train.py", "kept > 0.8", "kept > -9", "wrong_setup"),
        ("check_pulses.md", "## Steps", "## Stepps", "section"),
        ("device.py", "amplitude_pi=0.3", "amplitude_pi=3.0", "could not be played"),
    ],
)
def test_its_test_finds_what_is_broken(tmp_path: Path, name: str, old: str, new: str, says: str) -> None:
    write_lab(tmp_path / "mylab")
    path = tmp_path / "mylab" / name
    assert old in path.read_text()
    path.write_text(path.read_text().replace(old, new))
    ran = pytest_of(tmp_path / "mylab")
    assert ran.returncode == 1
    assert says in ran.stdout


@pytest.mark.parametrize("kind", ["file", "full"])
def test_nothing_is_written_over(command: Command, tmp_path: Path, kind: str) -> None:
    target = tmp_path / "mylab"
    if kind == "file":
        target.write_text("mine")
    else:
        target.mkdir()
        (target / "mine.py").write_text("mine")
    done = command("new-lab", str(target))
    assert done.exit_code == 2
    assert "is there already" in " ".join(done.stderr.split())
    with pytest.raises(InputError):
        write_lab(target)


def test_an_empty_folder_is_filled(tmp_path: Path) -> None:
    (tmp_path / "mylab").mkdir()
    assert len(write_lab(tmp_path / "mylab")) == 5


def test_experiment_procedure_and_device_work_together(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """On the simulated processor the procedure succeeds; on instruments that measure noise it fails, and says why."""
    monkeypatch.chdir(tmp_path)
    lab = tmp_path / "mylab"
    write_lab(lab)
    good = labwright.calibrate("Check the pulses of Q2", lab=str(lab), device_options=TUNED)
    assert good.status == "complete", good.reason
    noise = labwright.calibrate(
        "Run a train of pi pulses on Q1", lab=str(lab), device=f"{lab / 'device.py'}:open_device"
    )
    assert noise.status == "failed"
    assert "readout cannot tell the states apart" in noise.reason


def test_the_manual_shows_what_is_written(tmp_path: Path) -> None:
    write_lab(tmp_path / "mylab")
    text = MANUAL.read_text()
    for kind, name in (("python", "pulse_train.py"), ("markdown", "check_pulses.md")):
        shown = re.search(rf"```{kind}\n(.*?)```", text, re.DOTALL)
        assert shown is not None
        assert shown[1] == (tmp_path / "mylab" / name).read_text()


def broken(text: str) -> str:
    return (
        "from labwright.tools.experiments.base import Experiment\n"
        "from labwright.tools.experiments.time_rabi import Rabi\n" + text
    )


@pytest.mark.parametrize(
    ("name", "text", "says"),
    [
        ("mine.py", "1 / 0\n", "ZeroDivisionError: division by zero (line 1)"),
        ("mine.py", broken("class Mine(Experiment):\n    name = 'mine'\n"), "lacks plot, report, run"),
        (
            "mine.py",
            broken("class Mine(Rabi):\n    name = 'mine'\n    def run(self, dut: str) -> None: ...\n"),
            "must be `qubit`, but in 'mine'",
        ),
        ("mine.py", broken("class Mine(Rabi):\n    name = 'ramsey'\n"), "Two experiments are called 'ramsey'"),
        ("mine.md", "# Do 'dut'\n## Stepps\n- x\n", "Stepps"),
    ],
)
def test_a_lab_with_a_mistake_is_refused_with_its_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, text: str, says: str
) -> None:
    monkeypatch.chdir(tmp_path)
    lab = tmp_path / "lab"
    lab.mkdir()
    (lab / name).write_text(text)
    (lab / "test_mine.py").write_text("1 / 0\n")  # tests and READMEs are neither experiments nor procedures
    (lab / "README.md").write_text("Our lab.\n")
    refused = labwright.calibrate("Measure T1 of Q1", lab=str(lab))
    assert refused.status == "refused"
    assert says in refused.reason


def test_a_device_in_a_file_is_found_again_from_any_folder(
    command: Command, fake: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for given, kept in (
        ("mylab/device.py:open_device", f"{tmp_path}/mylab/device.py:open_device"),
        ("mypackage.qpu:open_device", "mypackage.qpu:open_device"),
        ("simulated", "simulated"),
    ):
        assert command("calibrate", "Calibrate Q1", "--device", given).exit_code == 0
        assert fake.requests[-1].choices.device == kept
