"""Bad input and bad luck through the real commands: a clear error, an exit code, and nothing lost."""

from __future__ import annotations

import errno
import gc
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from calibrations import FREQUENCY, TWO_STAGES
from typer.testing import CliRunner, Result

from labwright.apps.cli import app
from labwright.evaluation.benchmarks.run_comparison import broken_files, differences, repeated_actions, witness
from labwright.graphs.checkpoints import FILE
from labwright.tools.runs.run import open_run, run_ids

CALM = ["--device-option", "frequency_offset=0", "--device-option", "amplitude_error=0", "--device-option", "drag=1"]
CLI = (
    "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)\n"  # a background shell ignores it
    "from labwright.apps.cli import main; main()"
)


def labwright(*arguments: str) -> Result:
    return CliRunner().invoke(app, list(arguments))


def calibrate(text: str, *arguments: str) -> Result:
    return labwright("calibrate", text, "--seed", "3", *CALM, *arguments)


def latest(root: Path) -> Path:
    return root / run_ids(root)[-1]


def journal(folder: Path) -> list[str]:
    path = folder / "device" / "journal.jsonl"
    return path.read_text().splitlines() if path.exists() else []


@pytest.mark.parametrize(
    ("request_text", "cause", "mend"),
    [
        ("Measure T1 of Q9", "no qubit 'Q9'", "It has: Q1, Q2, Q8"),
        ("# Look at 'dut'\n## Background\nIt is long.\n", "has no `## Steps`", "Add one list item a step"),
        ("# Look at 'dut'\n## Steps\n", "`## Steps` is empty", "Add one list item a step"),
        ("rabi Q1, stop = 3", "must be between 0.01 and 2 us", "longest pulse"),
        ("t1 Q1, stop = 3 MHz", "'3 MHz'", "in us"),
        ("t1 Q1, delay = 3 us", "no parameter `delay`", "t1 has: stop, points, shots"),
        ("   ", "is empty", "Say what to calibrate"),
    ],
)
def test_a_request_that_cannot_be_done_is_refused_before_anything_is_played(
    root: Path, request_text: str, cause: str, mend: str
) -> None:
    done = calibrate(request_text, "--qubits", "Q1" if request_text.startswith("#") else "")
    said = " ".join((done.stdout + done.stderr).split())
    assert done.exit_code == 2, said
    assert cause in said
    assert mend in said
    assert "Traceback" not in said
    for name in run_ids(root):
        assert journal(root / name) == []
        assert json.loads((root / name / "result.json").read_bytes())["status"] == "refused"


def test_an_amplitude_that_only_a_procedure_states_is_refused_too(root: Path, tmp_path: Path) -> None:
    path = tmp_path / "loud.md"
    path.write_text("# Drive 'dut'\n## Steps\n- Measure T1 of 'dut'.\n- rabi 'dut', stop = 2.5\n")
    done = calibrate(str(path), "--qubits", "Q1")
    said = " ".join((done.stdout + done.stderr).split())
    assert done.exit_code == 2, said
    assert "steps.1.parameters.stop" in said
    assert "2.5" in said
    assert journal(latest(root)) == []  # nor is the first stage measured


@pytest.mark.parametrize(
    ("request_text", "offered"),
    [
        ("Make me coffee", ""),
        ("Could you measure the T1 of Q2, stop = 200 us, before lunch?", "t1 Q2, stop = 200 us"),
        ("# Look at 'dut'\n## Steps\n- Measure T1 of 'dut' in the usual way.\n", "t1"),
    ],
)
def test_words_that_nobody_here_reads_are_handed_back(root: Path, request_text: str, offered: str) -> None:
    done = calibrate(request_text, "--qubits", "Q1" if request_text.startswith("#") else "")
    said = " ".join(done.stderr.split())
    assert done.exit_code == 3, said
    assert "Not read: «" in said
    assert "--model openai:NAME" in said
    assert offered in said
    assert journal(latest(root)) == []


def test_the_nearest_line_is_run_when_it_is_chosen(root: Path) -> None:
    assert calibrate("Could you measure the T1 of Q2, stop = 200 us, before lunch?").exit_code == 3
    vague = labwright("runs", "resume", "latest", "--answer", "=yes")
    assert vague.exit_code == 2
    assert "does not say which one" in " ".join(vague.stderr.split())
    done = labwright("runs", "resume", "latest", "--answer", "=1")
    assert done.exit_code == 0, done.stderr
    assert {json.loads(line)["qubit"] for line in journal(latest(root))} == {"Q2"}


def test_words_are_answered_with_the_short_form(root: Path) -> None:
    assert calibrate("Make me coffee").exit_code == 3
    again = labwright("runs", "resume", "latest", "--answer", "=with milk")
    assert again.exit_code == 3
    assert "Not read: «with milk»" in " ".join(again.stderr.split())
    done = labwright("runs", "resume", "latest", "--answer", "=t1 Q8")
    assert done.exit_code == 0, done.stderr
    assert json.loads(journal(latest(root))[0])["qubit"] == "Q8"


@pytest.mark.parametrize(
    ("arguments", "cause"),
    [
        (["--qubits", "Q7"], "no qubit 'Q7'"),
        (["--model", "gpt"], "provider:name"),
    ],
)
def test_an_option_that_cannot_be_used_is_named(root: Path, arguments: list[str], cause: str) -> None:
    done = calibrate("Measure T1 of Q1", *arguments)
    said = " ".join((done.stdout + done.stderr).split())
    assert done.exit_code in (2, 4), said
    assert cause in said
    assert "Traceback" not in said
    assert "A fault in Labwright" not in said


@pytest.mark.parametrize(
    ("arguments", "cause"),
    [
        (["--device-option", "device=grid:x"], "grid:SEED"),
        (["--device-option", "colour=3"], "colour"),
        (["--device", "no.such:device"], "cannot be imported"),
        (["--lab", "no-such-folder"], "no-such-folder"),
    ],
)
def test_what_cannot_work_makes_no_run(root: Path, arguments: list[str], cause: str) -> None:
    done = calibrate("Measure T1 of Q1", *arguments)
    assert done.exit_code == 2
    assert cause in " ".join(done.stderr.split())
    assert "Traceback" not in done.output
    assert not list(root.glob("*/run.json"))


def test_missing_information_is_asked_for_and_the_answer_goes_on(root: Path) -> None:
    asked = calibrate("Measure T1")
    said = " ".join(asked.stderr.split())
    assert asked.exit_code == 3
    assert "Which qubit is meant?" in said
    assert "--answer" in said
    assert f"labwright runs resume {latest(root).name}" in said
    wrong = labwright("runs", "resume", "latest", "--answer", "nobody=Q2")
    assert wrong.exit_code == 2
    assert "names no open question" in " ".join(wrong.stderr.split())
    done = labwright("runs", "resume", "latest", "--answer", "=Q2")
    assert done.exit_code == 0, done.stderr
    assert json.loads(journal(latest(root))[0])["qubit"] == "Q2"


def test_a_run_that_is_not_there_is_said_with_where_it_was_looked_for(root: Path) -> None:
    done = labwright("runs", "resume", "20990101")
    said = " ".join(done.stderr.split())
    assert done.exit_code == 2
    assert "no run '20990101'" in said
    assert "labwright runs list" in said


def test_a_run_that_another_process_drives_is_left_alone(root: Path) -> None:
    assert calibrate("Measure T1").exit_code == 3
    with open_run(root, "latest").lease():
        refused = labwright("runs", "resume", "latest", "--answer", "=Q2")
    said = " ".join(refused.stderr.split())
    assert refused.exit_code == 4, said
    assert f"is driven by process {os.getpid()}" in said
    assert "Wait until it ends" in said
    assert journal(latest(root)) == []


def overwritten(path: Path) -> None:
    path.write_bytes(b"\0" * 200 + path.read_bytes()[200:])


def cut_off(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def scratched(path: Path) -> None:
    """Bytes of stored checkpoints changed, the database around them whole."""
    content = bytearray(path.read_bytes())
    for place in range(0, len(content), 4096):
        content[place + 3000 : place + 3040] = os.urandom(40)
    path.write_bytes(bytes(content))


@pytest.fixture(scope="module")
def looked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a run that has ended, made once."""
    folder = tmp_path_factory.mktemp("looked")
    (folder / "look.md").write_text(TWO_STAGES)
    with pytest.MonkeyPatch.context() as settings:
        settings.setenv("LABWRIGHT_RUNS", str(folder / "runs"))
        assert calibrate(str(folder / "look.md"), "--qubits", "Q1").exit_code == 0
    return latest(folder / "runs")


@pytest.mark.parametrize(
    "damage", [scratched, *(pytest.param(each, marks=pytest.mark.slow) for each in (overwritten, cut_off))]
)
def test_a_damaged_checkpoint_is_said_and_replayed_from_the_journal(
    root: Path, looked: Path, damage: Callable[[Path], None]
) -> None:
    folder = root / looked.name
    shutil.copytree(looked, folder)
    before, expected = journal(folder), witness(folder)
    for side in folder.glob(f"{FILE}-*"):
        side.unlink()
    damage(folder / FILE)

    refused = labwright("runs", "resume", folder.name)
    said = " ".join(refused.stderr.split())
    assert refused.exit_code == 4, said
    assert "does not read back" in said
    assert f"labwright runs resume {folder.name} --rebuild" in said
    assert "Traceback" not in said

    rebuilt = labwright("runs", "resume", folder.name, "--rebuild")
    assert rebuilt.exit_code == 0, rebuilt.stderr
    assert journal(folder) == before  # the device was not touched
    assert differences(witness(folder), expected) == []
    assert repeated_actions(folder) == []


def test_a_disk_that_is_full_for_a_while_loses_nothing(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert calibrate("Measure T1 of Q1").exit_code == 0
    expected, synced, passed = witness(latest(root)), os.fsync, 0
    for room in (0, 9):  # files that still fit
        passed = 0

        def full(descriptor: int, room: int = room) -> None:
            nonlocal passed
            passed += 1
            if passed > room:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            synced(descriptor)

        known = len(run_ids(root))
        with monkeypatch.context() as disk:
            disk.setattr(os, "fsync", full)
            stopped = calibrate("Measure T1 of Q1")
        said = " ".join(stopped.stderr.split())
        assert stopped.exit_code == 4, (room, said)
        assert "No space left on device" in said
        assert "Free some space" in said
        if len(run_ids(root)) > known:  # else there was not even room for a run
            assert_resumes(latest(root), expected)


def assert_resumes(folder: Path, expected: object) -> None:
    assert broken_files(folder) == []
    done = labwright("runs", "resume", folder.name)
    assert done.exit_code == 0, done.stderr
    assert differences(witness(folder), expected) == []  # type: ignore[arg-type]
    assert repeated_actions(folder) == []
    assert broken_files(folder) == []


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of one megabyte; needs the right to mount."""
    disk = tmp_path / "disk"
    disk.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(disk)], capture_output=True)
    if mounted.returncode:
        pytest.skip("mounting needs root")
    yield disk
    subprocess.run(["umount", "--lazy", str(disk)], check=True)


@pytest.mark.slow  # the same law without a mount is above
def test_a_disk_that_is_really_full_loses_nothing(
    root: Path, small_disk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert calibrate("Measure T1 of Q1").exit_code == 0
    expected = witness(latest(root))
    monkeypatch.setenv("LABWRIGHT_RUNS", str(small_disk / "runs"))
    filler = small_disk / "filler"
    stopped = 0
    for kilobytes in (24, 100, 140):
        free = os.statvfs(small_disk).f_bavail * os.statvfs(small_disk).f_frsize
        filler.write_bytes(b"\0" * max(0, free - 1024 * kilobytes))
        done = calibrate("Measure T1 of Q1")
        filler.unlink()
        if done.exit_code:
            stopped += 1
            said = " ".join(done.stderr.split())
            assert done.exit_code == 4, said
            assert "Free some space" in said
            assert_resumes(latest(small_disk / "runs"), expected)
        del done
        gc.collect()  # the error's traceback holds the old database open, and so its space
        for path in sorted(small_disk.rglob("*"), reverse=True):
            path.rmdir() if path.is_dir() else path.unlink()
    assert stopped >= 2


@pytest.mark.slow  # SIGTERM and SIGKILL: tests/graphs/lab_calibration/test_safe_state.py
def test_ctrl_c_stops_the_run_and_it_is_resumed(root: Path, tmp_path: Path) -> None:
    (tmp_path / "find.md").write_text(FREQUENCY)
    process = subprocess.Popen(
        [sys.executable, "-c", CLI, "calibrate", str(tmp_path / "find.md"), "--qubits", "Q1", "--seed", "3"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    deadline = time.monotonic() + 600
    while process.poll() is None and time.monotonic() < deadline and not any(map(journal, root.glob("*"))):
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    said = " ".join(process.communicate(timeout=600)[0].split())
    assert process.returncode == 3, said
    assert "Interrupted from the keyboard" in said
    folder = latest(root)
    assert f"labwright runs resume {folder.name}" in said
    assert broken_files(folder) == []
    before = journal(folder)

    done = labwright("runs", "resume", folder.name)
    assert done.exit_code == 0, done.stderr
    assert journal(folder)[: len(before)] == before
    assert repeated_actions(folder) == []
