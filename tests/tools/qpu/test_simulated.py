"""The device's contract: exactly once, resumable, deterministic, limited, leased."""

from __future__ import annotations

import dataclasses
import errno
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from labwright.tools.errors import CorruptRecordError, HardwareLimitError, InputError, LeaseError, UnknownQubitError
from labwright.tools.qpu import simulated
from labwright.tools.qpu.opening import open_device
from labwright.tools.qpu.program import Delay, Program, Pulse
from labwright.tools.qpu.simulated import SimulatedProcessor, open_simulated

X = Pulse(0.36, 0.03)
PROGRAM = Program("Q1", (X, Delay(1.0)), (np.array([0]), np.array([0, 1]), np.array([], dtype=int)), shots=50)
Open = Callable[..., SimulatedProcessor]


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Open]:
    devices: list[SimulatedProcessor] = []

    def make(name: str = "device", seed: int = 1, **options: float | str) -> SimulatedProcessor:
        for device in devices:
            device.close()
        devices.append(open_simulated(tmp_path / name, seed, options))
        return devices[-1]

    yield make
    for device in devices:
        device.close()


def test_same_key_plays_once_and_returns_the_same(opened: Open) -> None:
    device = opened()
    assert device.status("a") == "absent"
    first = device.acquire(PROGRAM, "a")
    again = device.acquire(PROGRAM, "a")
    assert device.status("a") == "done"
    assert len(device.log) == 1
    assert np.array_equal(first.counts, again.counts)
    assert (first.seconds, first.clock, first.shots) == (again.seconds, again.clock, again.shots)


@pytest.mark.parametrize("returns", ["counts", "average", "shots"])
def test_stored_data_survive_reopening(opened: Open, returns: str) -> None:
    program = dataclasses.replace(PROGRAM, returns=returns)
    first = opened().acquire(program, "a")
    again = opened().acquire(program, "a")
    for field in dataclasses.fields(first):
        assert np.array_equal(getattr(first, field.name), getattr(again, field.name)), field.name


def test_resumed_device_equals_an_undisturbed_one(opened: Open) -> None:
    whole = opened("whole")
    expected = [whole.acquire(PROGRAM, key) for key in "abc"]
    opened("cut").acquire(PROGRAM, "other keys do not matter")
    resumed = opened("cut")
    got = [resumed.acquire(PROGRAM, key) for key in "bc"]
    assert resumed.clock == whole.clock
    for ours, theirs in zip(got, expected[1:], strict=True):
        assert np.array_equal(ours.counts, theirs.counts)


def test_other_seed_gives_other_data(opened: Open) -> None:
    assert not np.array_equal(
        opened("one", seed=1).acquire(PROGRAM, "a").counts, opened("two", seed=2).acquire(PROGRAM, "a").counts
    )


def test_clock_counts_sequence_readout_and_reset(opened: Open) -> None:
    device = opened()
    got = device.acquire(PROGRAM, "a")
    assert got.clock == 0
    assert got.seconds == pytest.approx(50 * (0.03 + 1.03 + 3 * (400 + 2)) * 1e-6)
    assert device.clock == got.seconds


def test_a_torn_journal_is_read_wherever_it_ends(opened: Open, tmp_path: Path) -> None:
    """A kill may leave any prefix of the last line: then the last acquisition never happened."""
    device = opened()
    device.acquire(PROGRAM, "a")
    last = device.acquire(PROGRAM, "b")
    device.settings.update("Q1", {"drag": 0.1}, key="u", reason="test")
    device.close()
    for name, reset in (("journal.jsonl", "b"), ("settings.jsonl", "u")):
        path = tmp_path / "device" / name
        content = path.read_bytes()
        start = content.rstrip(b"\n").rfind(b"\n") + 1
        for length in {*range(start, len(content), 7), len(content) - 2, len(content) - 1}:
            path.write_bytes(content[:length])
            again = opened()
            if reset == "b":
                assert [entry["key"] for entry in again.log] == ["a"]
            else:
                assert again.settings.version == 0
            assert path.read_bytes() == content[:start]
        if reset == "b":
            assert np.array_equal(again.acquire(PROGRAM, "b").counts, last.counts)
        path.write_bytes(content)


@pytest.mark.parametrize("point", ["write", "rename", "append"])
def test_crash_inside_an_acquisition_is_made_good(opened: Open, monkeypatch: pytest.MonkeyPatch, point: str) -> None:
    expected = opened("whole").acquire(PROGRAM, "a")
    device = opened("cut")

    class Killed(BaseException):
        pass

    def die(*_: object) -> None:
        raise Killed

    with monkeypatch.context() as patch:
        target = {"write": (simulated, "write_atomic"), "rename": (Path, "replace"), "append": (os, "pwrite")}[point]
        patch.setattr(*target, die)
        with pytest.raises(Killed):
            device.acquire(PROGRAM, "a")
    again = opened("cut")
    assert again.status("a") == "absent"
    assert np.array_equal(again.acquire(PROGRAM, "a").counts, expected.counts)
    assert not list((again._folder / "acquisitions").glob("*.part"))


@pytest.mark.slow
def test_kill_9_at_random_moments(tmp_path: Path) -> None:
    script = """
import sys, numpy as np
from pathlib import Path
from labwright.tools.qpu.simulated import open_simulated
from labwright.tools.qpu.program import Program, Pulse
device = open_simulated(Path(sys.argv[1]), 1, {})
print("open", flush=True)
for i in range(40):
    device.acquire(Program("Q1", (Pulse(0.36, 0.03),), (np.array([0]),) * 3, shots=50), str(i))
    device.settings.update("Q1", {"drag": i / 100}, key=str(i), reason="test")
"""
    rng = np.random.default_rng(0)
    for _ in range(10):
        process = subprocess.Popen([sys.executable, "-c", script, str(tmp_path / "cut")], stdout=subprocess.PIPE)
        assert process.stdout is not None
        process.stdout.readline()
        try:
            process.wait(timeout=rng.uniform(0, 0.08))
        except subprocess.TimeoutExpired:
            process.kill()
        process.wait()
        process.stdout.close()
    for name in ("cut", "whole"):
        subprocess.run([sys.executable, "-c", script, str(tmp_path / name)], check=True, stdout=subprocess.DEVNULL)
    journals = [(tmp_path / n / "journal.jsonl").read_text().splitlines() for n in ("cut", "whole")]
    keys = [[json.loads(line)["key"] for line in journal] for journal in journals]
    assert keys[0] == keys[1] == [str(i) for i in range(40)]
    data = [{p.name: p.read_bytes() for p in (tmp_path / n / "acquisitions").glob("*.npz")} for n in ("cut", "whole")]
    assert data[0].keys() == data[1].keys()
    for name in data[0]:
        with np.load(tmp_path / "cut/acquisitions" / name) as a, np.load(tmp_path / "whole/acquisitions" / name) as b:
            assert all(np.array_equal(a[k], b[k]) for k in b)


def test_full_disk_leaves_nothing_half_written(opened: Open, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    device = opened()
    device.acquire(PROGRAM, "a")
    journal = (tmp_path / "device/journal.jsonl").read_bytes()
    pwrite = os.pwrite

    def half_then_full(file: int, line: bytes, position: int) -> int:
        pwrite(file, line[:10], position)
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patch:
        patch.setattr(os, "pwrite", half_then_full)
        with pytest.raises(OSError, match="No space left"):
            device.acquire(PROGRAM, "b")
    assert (tmp_path / "device/journal.jsonl").read_bytes() == journal
    assert device.status("b") == "absent"
    device.acquire(PROGRAM, "b")
    assert [entry["key"] for entry in device.log] == ["a", "b"]


def test_damaged_records_say_so(opened: Open, tmp_path: Path) -> None:
    device = opened()
    device.acquire(PROGRAM, "a")
    next((tmp_path / "device/acquisitions").iterdir()).write_bytes(b"PK\x03\x04 not an archive")
    with pytest.raises(CorruptRecordError, match="does not read back"):
        device.acquire(PROGRAM, "a")
    device.close()
    (tmp_path / "device/journal.jsonl").write_text("{not json}\n")
    with pytest.raises(CorruptRecordError, match="Line 1"):
        opened()
    (tmp_path / "device/device.json").write_text("{")
    with pytest.raises(CorruptRecordError, match=r"device\.json"):
        opened()


def test_folder_refuses_another_device(opened: Open) -> None:
    opened(seed=1)
    with pytest.raises(InputError, match="another seed"):
        opened(seed=2)
    with pytest.raises(InputError, match="another seed"):
        opened(seed=1, t1=100.0)


def test_lease_is_exclusive_and_fenced(opened: Open, tmp_path: Path) -> None:
    device = opened()
    with pytest.raises(LeaseError, match=str(os.getpid())):
        open_simulated(tmp_path / "device", 1)
    lease = tmp_path / "device/lease"
    lease.write_text(lease.read_text().replace('"token": 1', '"token": 2'))
    with pytest.raises(LeaseError, match="taken over"):
        device.acquire(PROGRAM, "a")
    lease.unlink()
    with pytest.raises(LeaseError, match="deleted"):
        device.acquire(PROGRAM, "a")
    device.close()
    with pytest.raises(LeaseError, match="closed"):
        device.acquire(PROGRAM, "a")
    with pytest.raises(LeaseError, match="closed"):
        device.settings.update("Q1", {"drag": 0.1}, key="k", reason="test")


def replaced(**changes: object) -> Program:
    return dataclasses.replace(PROGRAM, **changes)


REFUSED = {
    "amplitude": replaced(operations=(Pulse(1.01, 0.03), Delay(1.0))),
    "pulse_duration": replaced(operations=(Pulse(0.1, 0.001), Delay(1.0))),
    "delay": replaced(operations=(X, Delay(-1.0))),
    "sequence_duration": replaced(operations=(X, Delay(1499.0)), sequences=(np.array([0, 1, 1]),)),
    "frequency": replaced(frequency=3999.0),
    "drag": replaced(operations=(Pulse(0.1, 0.03, drag=float("nan")), Delay(1.0))),
    "readout_frequency": replaced(readout_frequency=8000.0),
    "readout_amplitude": replaced(readout_amplitude=np.array([0.1, 0.2, 1.2])),
    "shots": replaced(shots=20001),
    "points": replaced(sequences=()),
}


@pytest.mark.parametrize("quantity", REFUSED)
def test_limits_are_enforced_and_nothing_is_played(opened: Open, quantity: str) -> None:
    device = opened()
    for refuse in (device.check, lambda program: device.acquire(program, "a")):
        with pytest.raises(HardwareLimitError, match=f"`{quantity}`") as refused:
            refuse(REFUSED[quantity])
        assert refused.value.quantity == quantity
    assert device.log == ()


def test_malformed_programs_are_refused(opened: Open) -> None:
    device = opened()
    with pytest.raises(UnknownQubitError, match="Q1, Q2, Q8"):
        device.check(replaced(qubit="Q3"))
    with pytest.raises(InputError, match="only 2"):
        device.check(replaced(sequences=(np.array([2]),)))
    with pytest.raises(InputError, match="1 or 3 values"):
        device.check(replaced(readout_frequency=np.array([9997.0, 9998.0])))


def test_settings_history_revert_and_idempotence(opened: Open) -> None:
    book = opened().settings
    old = book.current("Q1")
    first = book.update("Q1", {"frequency": 4888.0}, key="k1", reason="ramsey", notes={"other": 4891.0})
    assert book.update("Q1", {"frequency": 4000.5}, key="k1", reason="again") == first
    book.update("Q2", {"drag": 0.5}, key="k2", reason="drag")
    back = book.revert(1, key="k3", reason="wrong sign")
    assert book.current("Q1") == old
    assert back.changes == {"frequency": old.frequency}
    again = opened().settings
    assert again.history() == book.history()
    assert [v.version for v in again.history("Q1")] == [1, 3]
    assert again.current("Q2").drag == 0.5
    with pytest.raises(InputError, match="no settings version 9"):
        again.revert(9, key="k4", reason="none")


@pytest.mark.parametrize(
    "changes",
    [{"amplitude_pi": 1.2}, {"frequency": float("nan")}, {"readout_amplitude": -0.1}, {"anharmonicity": 10.0}],
)
def test_unplayable_settings_are_refused(opened: Open, changes: dict[str, float]) -> None:
    book = opened().settings
    with pytest.raises(HardwareLimitError):
        book.update("Q1", changes, key="k", reason="test")
    assert book.version == 0


@pytest.mark.parametrize(
    "change",
    [
        {"frequency": 4883.0},
        {"t1": 70.0, "t2_echo": 60.0},
        {"drive_scale": 60.0},
        {"snr": 1.0},
        {"thermal": 0.1},
        {"readout_decay": 0.6},
        {"resonator_frequency": 9999.0},
    ],
)
def test_data_follow_the_truth(opened: Open, change: dict[str, float]) -> None:
    """The controller's settings are the same numbers on both devices; only the truth differs."""
    program = Program("Q1", (X, Delay(60.0)), (np.array([], int), np.array([0]), np.array([0, 1])), shots=20000)
    plain = opened("plain")
    settings = dataclasses.asdict(plain.settings.current("Q1"))
    expected = plain.acquire(program, "a").counts
    other = opened("other", **change)
    other.settings.update("Q1", settings, key="same", reason="same settings")
    got = other.acquire(program, "a").counts
    assert np.abs(got - expected).max() > 6 * np.sqrt(20000 / 4)


def test_devices_open_by_name(tmp_path: Path) -> None:
    device = open_device("simulated", tmp_path / "a", 1, {"device": "drawn:3", "frequency_offset": -2.0})
    device.close()
    device = open_device("labwright.tools.qpu.simulated:open_simulated", tmp_path / "b", 1)
    assert device.qubits == ("Q1", "Q2", "Q8")
    device.close()
    for spec in ("nonsense", "labwright.tools.qpu.simulated:missing", ""):
        with pytest.raises(InputError, match="cannot be imported"):
            open_device(spec, tmp_path / "c", 1)
