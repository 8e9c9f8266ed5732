"""`labwright.results`: what scripts record reads back as results, and what cannot be a result is refused."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import labwright.results
from labwright.tools.forge.tasks.results import read_results

SCRIPT = """import sys
sys.path.insert(0, {package!r})
import numpy as np
from results import parameter, record

times = np.linspace(0.0, 1.0, 3)
parameter(rabi=np.float64(1.3))
record("population", np.outer(times, [1.0, 2.0]), axes={{"time": (times, "us"), "state": [0, 1]}}, uncertainty=1e-9)
record("population", 0.25, labels={{"state": "e"}}, unit="1")
record("population", 0.5, labels={{"state": "e"}}, unit="1")
{more}
"""


def run(folder: Path, name: str, more: str = "") -> str:
    package = str(Path(labwright.results.__file__).parent)
    (folder / name).write_text(SCRIPT.format(package=package, more=more))
    done = subprocess.run([sys.executable, name], cwd=folder, capture_output=True, text=True, check=False)
    return done.stderr.strip().rpartition("\n")[2]


def test_records_of_several_scripts_read_back_and_a_script_that_is_run_again_begins_anew(tmp_path: Path) -> None:
    assert run(tmp_path, "script_1.py") == ""
    assert run(tmp_path, "script_2.py", 'record("extra", {"00": 3, "11": 5})') == ""
    found = read_results(tmp_path / "results.json")
    assert found.parameters == {"rabi": 1.3}
    assert [one.value for one in found.find("population", state="e")] == [0.5, 0.5]  # the last one of each script
    assert found.one("extra").value == {"00": 3, "11": 5}
    whole = found.find("population")[0]
    assert ([axis.name for axis in whole.axes], whole.axes[0].unit, whole.uncertainty) == (
        ["time", "state"],
        "us",
        1e-9,
    )
    assert run(tmp_path, "script_2.py") == ""
    assert read_results(tmp_path / "results.json").find("extra") == []


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ('record("x", float("nan"))', "ValueError: 'x' is nan. Find where the number is lost"),
        ('record("x", 1j)', "TypeError: 'x' is complex. Record real and imaginary part"),
        ('record("x", [1.0, 2.0], axes={"t": [1, 2, 3]})', "ValueError: 'x' has the shape (2,), but its axes have"),
        ('record("x", object())', "TypeError: 'x' is a object"),
    ],
)
def test_what_is_no_result_is_refused_with_the_cure(line: str, said: str, tmp_path: Path) -> None:
    assert run(tmp_path, "script_1.py", line).startswith(said)
