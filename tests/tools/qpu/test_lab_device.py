"""A laboratory's own device: exactly once, resumable, limited, leased; and the checks that tell whether it is."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from labwright.tools.errors import CorruptRecordError, DataError, HardwareLimitError, InputError, LeaseError
from labwright.tools.qpu.conformance import broken_device_promises
from labwright.tools.qpu.device import Limits
from labwright.tools.qpu.joint_program import JointProgram
from labwright.tools.qpu.lab_device import RecordedDevice, readout_of
from labwright.tools.qpu.opening import open_device
from labwright.tools.qpu.program import Delay, Program, Pulse
from labwright.tools.qpu.settings import QubitSettings

SETTINGS = QubitSettings(4900.0, 0.3, 0.15, 0.0, 0.03, -200.0, 9500.0, 0.3, 0.0, 0.5)
X = Pulse(0.3, 0.03)
PROGRAM = Program("A", (X, Delay(1.0)), (np.array([0]), np.array([0, 1]), np.array([], dtype=int)), shots=50)


class Coins(RecordedDevice):
    """Reads 1 as often as the drive amplitude says, and counts how often it was played."""

    def __init__(self, folder: Path, settings: QubitSettings = SETTINGS) -> None:
        super().__init__(folder, "coins", {"A": settings, "B": settings}, Limits(), rest=100.0)
        self.played = 0
        self.fail_at = -1
        self.spoil: np.ndarray | None = None

    def measure(self, program: Program, settings: QubitSettings) -> Iterator[np.ndarray]:
        self.played += 1
        if self.played == self.fail_at:
            raise KeyboardInterrupt
        rng = np.random.default_rng(self.played)
        for sequence in program.sequences:
            chance = sum(getattr(program.operations[i], "amplitude", 0.0) for i in sequence)
            yield (rng.random(program.shots) < chance).astype(complex) if self.spoil is None else self.spoil


@pytest.fixture
def coins(tmp_path: Path) -> Iterator[Coins]:
    device = Coins(tmp_path / "device")
    yield device
    device.close()


def test_a_key_is_played_once_and_remembered_by_the_folder(coins: Coins, tmp_path: Path) -> None:
    first = coins.acquire(PROGRAM, "a")
    assert coins.status("a") == "done"
    assert np.array_equal(coins.acquire(PROGRAM, "a").counts, first.counts)
    assert coins.played == 1
    coins.close()
    again = Coins(tmp_path / "device")
    assert np.array_equal(again.acquire(PROGRAM, "a").counts, first.counts)
    assert (again.played, again.clock) == (0, first.seconds)
    assert again.acquire(PROGRAM, "b").clock == first.seconds
    again.close()


@pytest.mark.parametrize(("harmless", "status"), [(False, "unknown"), (True, "absent")])
def test_a_death_while_playing_leaves_a_question_unless_it_is_harmless(
    coins: Coins, tmp_path: Path, harmless: bool, status: str
) -> None:
    coins.fail_at = 1
    with pytest.raises(KeyboardInterrupt):
        coins.acquire(PROGRAM, "a")
    coins.close()
    again = Coins(tmp_path / "device")
    again.harmless = harmless  # type: ignore[misc]
    assert again.status("a") == status
    assert again.clock == 0
    assert again.acquire(PROGRAM, "a").counts is not None  # a person said: play it
    assert again.status("a") == "done"
    again.close()


def test_data_come_in_the_form_that_was_asked_for(coins: Coins) -> None:
    shots = coins.acquire(dataclasses.replace(PROGRAM, returns="shots"), "a")
    coins.played = 0  # the same coins again
    counts = coins.acquire(dataclasses.replace(PROGRAM, returns="counts"), "b")
    coins.played = 0
    average = coins.acquire(dataclasses.replace(PROGRAM, returns="average"), "c")
    assert np.array_equal((shots.iq.real > 0.5).sum(axis=1), counts.counts)
    assert average.average == pytest.approx(shots.iq.mean(axis=1))
    assert average.average_error.min() > 0  # the last point never reads 1, so its scatter vanishes
    assert counts.seconds == pytest.approx(50 * (0.03 + 1.03 + 3 * 100) * 1e-6)


def test_the_folder_keeps_what_was_calibrated_when_the_guess_of_the_factory_changes(tmp_path: Path) -> None:
    first = Coins(tmp_path / "device")
    first.settings.update("A", {"drag": 0.4}, key="k", reason="calibrated")
    first.close()
    other = Coins(tmp_path / "device", dataclasses.replace(SETTINGS, frequency=5100.0))
    assert (other.settings.current("A").frequency, other.settings.current("A").drag) == (4900.0, 0.4)
    other.close()
    (tmp_path / "device" / "start.json").write_text('{"A": {"frequency": 1}}')
    with pytest.raises(CorruptRecordError, match="no settings"):
        Coins(tmp_path / "device")


def test_limits_joint_programs_and_second_drivers_are_refused(coins: Coins, tmp_path: Path) -> None:
    with pytest.raises(HardwareLimitError):
        coins.acquire(dataclasses.replace(PROGRAM, operations=(Pulse(1.5, 0.03), Delay(1.0))), "a")
    with pytest.raises(InputError, match="one qubit at a time"):
        coins.check(JointProgram(("A", "B"), ((X,), (X,)), (np.zeros((1, 2), int),)))
    assert (coins.played, coins.status("a")) == (0, "absent")
    with pytest.raises(LeaseError):
        Coins(tmp_path / "device")


@pytest.mark.parametrize("spoil", [np.zeros(3, complex), np.full(50, np.nan + 0j)])
def test_data_that_cannot_be_are_poor_data(coins: Coins, spoil: np.ndarray) -> None:
    coins.spoil = spoil
    with pytest.raises(DataError, match="measure again"):
        coins.acquire(PROGRAM, "a")


def test_a_swept_readout_is_given_point_by_point() -> None:
    swept = dataclasses.replace(PROGRAM, readout_frequency=np.array([9400.0, 9401.0, 9402.0]), readout_amplitude=0.2)
    assert [readout_of(swept, SETTINGS, i) for i in range(3)] == [(9400.0, 0.2), (9401.0, 0.2), (9402.0, 0.2)]
    assert readout_of(PROGRAM, SETTINGS, 2) == (9500.0, 0.3)


# --- conformance ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("times", [1, 2])
def test_both_kinds_of_device_keep_the_protocol(tmp_path: Path, times: int) -> None:
    for _ in range(times):  # a device that was examined before passes again
        assert broken_device_promises(lambda: Coins(tmp_path / "coins")) == []
        assert broken_device_promises(lambda: open_device("simulated", tmp_path / "simulated", 1)) == []


class Forgetful(Coins):
    def acquire(self, program, key):  # type: ignore[no-untyped-def]
        self._done.discard(key)
        return super().acquire(program, key)


class Lawless(Coins):
    def check(self, program):  # type: ignore[no-untyped-def]
        pass


class Timeless(Coins):
    def _reduced(self, program, clock):  # type: ignore[no-untyped-def]
        return dataclasses.replace(super()._reduced(program, clock), seconds=0.0)


class Rounding(Coins):
    def _reduced(self, program, clock):  # type: ignore[no-untyped-def]
        got = super()._reduced(program, clock)
        return dataclasses.replace(got, average_error=np.zeros(3)) if got.average is not None else got


@pytest.mark.parametrize(
    ("kind", "complaint"),
    [
        (Forgetful, "The same key gave other data"),
        (Lawless, "`check` accepts an amplitude beyond its limits"),
        (Timeless, "must state its device seconds"),
        (Rounding, "`average_error` above zero"),
    ],
)
def test_a_device_that_breaks_a_promise_is_found(tmp_path: Path, kind: type[Coins], complaint: str) -> None:
    assert complaint in "\n".join(broken_device_promises(lambda: kind(tmp_path / "device")))


def test_settings_that_could_not_be_played_are_found(tmp_path: Path) -> None:
    loud = dataclasses.replace(SETTINGS, amplitude_pi=3.0)
    assert "could not be played" in "\n".join(broken_device_promises(lambda: Coins(tmp_path / "device", loud)))


# --- opening --------------------------------------------------------------------------------------------------------


def test_a_factory_in_a_file_is_found(tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text(
        "from labwright.tools.qpu.simulated import open_simulated\n"
        "def mine(folder, seed, options):\n    return open_simulated(folder, seed, options)\nnumber = 3\n"
    )
    device = open_device(f"{path}:mine", tmp_path / "device", 1, {"drag": 0.25})
    assert device.settings.current("Q1").drag == 0.25
    device.close()
    for spec, says in (
        (f"{path}:number", "is no function"),
        (f"{path}:absent", "cannot be imported"),
        (f"{tmp_path / 'none.py'}:mine", "cannot be read"),
        ("no.such.module:mine", "cannot be imported"),
    ):
        with pytest.raises(InputError, match=says):
            open_device(spec, tmp_path / "other", 1)
