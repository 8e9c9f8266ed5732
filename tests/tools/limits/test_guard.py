"""The guard: what the lab forbids is neither played nor written, and the device comes to rest whatever happens."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from labwright.tools.errors import LabLimitError, LeaseError, SafetyStop
from labwright.tools.experiments.base import Bench
from labwright.tools.experiments.registry import experiments
from labwright.tools.limits.guard import Terms, guarded
from labwright.tools.limits.limits_document import read_law
from labwright.tools.qpu.device import Device, IdleDevice, Limits, SafeDevice, SharedDevice
from labwright.tools.qpu.joint_program import JointProgram, Stark
from labwright.tools.qpu.lab_device import RecordedDevice, Shots
from labwright.tools.qpu.program import Delay, Program, Pulse
from labwright.tools.qpu.settings import QubitSettings
from labwright.tools.qpu.settings_book import JournaledSettings
from labwright.tools.qpu.simulated import open_simulated
from labwright.tools.specifications.base import SpecificationError

OPEN = "limits: 1\ndrive: {amplitude: 1}\n"  # limits nothing that the device would play
START = QubitSettings(5000, 0.4, 0.2, 0, 0.03, -200, 9500, 0.3, 0, 0.5)


class Rack(RecordedDevice):
    """Instruments whose outputs stay on until somebody rests them, and that may break or misreport."""

    shot_overhead = 100.0

    def __init__(self, folder: Path) -> None:
        super().__init__(folder, "rack", {"Q1": START}, Limits(), self.shot_overhead)
        self.on, self.breaks, self.stuck, self.rested = False, False, False, 0

    def measure(self, program: Program, settings: QubitSettings) -> Iterator[Shots]:
        self.on = True
        if self.breaks:
            raise OSError("no answer")
        for _ in program.sequences:
            yield np.zeros(program.shots, dtype=complex)

    def safe_state(self) -> None:
        if self.stuck:
            raise OSError("no answer either")
        self.on, self.rested = False, self.rested + 1


class Guard:
    """A rack behind a guard, which can be opened again."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.events, self.permits = folder, [], 0  # type: ignore[var-annotated]
        self.made: list[Rack] = []

    def __call__(self, text: str = OPEN, make: Callable[[Path], Any] = Rack) -> Device:
        law = read_law(text, "limits.yaml")
        bounds = ((law.limits.run, law.where("run")),)
        self.made.append(make(self.folder / "device"))
        terms = Terms((law,), lambda: bounds, self._permit, self.events.append)
        return guarded(self.made[-1], terms, self.folder, self.folder / "driven.run")

    def _permit(self) -> None:
        self.permits += 1


@pytest.fixture
def guard(tmp_path: Path) -> Guard:
    return Guard(tmp_path)


def program(amplitude: float = 0.4, duration: float = 0.03, **more: Any) -> Program:
    return Program("Q1", (Pulse(amplitude, duration), Delay(1)), (np.array([0]), np.array([0, 1])), 100, **more)


@pytest.mark.parametrize(
    ("limits", "played"),
    [
        ("drive: {amplitude: 0.5}", program(0.51)),
        ("qubits: {Q1: {drive: {amplitude: 0.5}}}", program(0.51)),
        ("readout: {amplitude: 0.2}", program()),  # as the settings have it
        ("readout: {amplitude: 0.5}", program(readout_amplitude=np.array([0.1, 0.6]))),
        ("readout: {bands: [[9.4 GHz, 9.49 GHz], [9.51 GHz, 9.6 GHz]]}", program()),
        ("drive: {bands: [[4 GHz, 4990 MHz]]}", program()),
        ("drive: {bands: [[4 GHz, 5.1 GHz]]}", program(frequency=5100.1)),
        ("drive: {power: 0.001}", program(0.4, 1.0)),  # 0.16 * 1 us of 101
    ],
)
def test_what_the_lab_forbids_is_not_played(limits: str, played: Program, guard: Guard) -> None:
    device = guard(f"limits: 1\n{limits}\n")
    for play in (device.check, lambda each: device.acquire(each, "a.0")):
        with pytest.raises(LabLimitError, match=r"limits.yaml, line 2, \S+\)"):
            play(played)
    assert device.clock == 0
    device.close()
    allowed = guard(OPEN)
    allowed.acquire(played, "a.0")
    assert allowed.clock > 0


@pytest.mark.parametrize("value", [float("nan"), -0.6, float("inf")])
def test_numbers_that_compare_with_nothing_are_refused(value: float, tmp_path: Path) -> None:
    law = read_law("limits: 1\ndrive: {amplitude: 0.5}\n", "limits.yaml")
    with pytest.raises(LabLimitError):
        law.check_program(program(value), lambda _: START, 100)


def test_stark_pulses_have_the_limits_of_the_drive_or_their_own() -> None:
    joint = JointProgram(("Q1",), ((Stark(4900, 0.8, 0.2),),), (np.array([[0]]),))
    for limits in ("drive: {amplitude: 0.5}", "drive: {amplitude: 0.9}\nstark: {amplitude: 0.5}"):
        with pytest.raises(LabLimitError, match=r"stark amplitude 0.8"):
            read_law(f"limits: 1\n{limits}\n", "x").check_program(joint, lambda _: START, 100)
    read_law("limits: 1\ndrive: {amplitude: 0.5}\nstark: {amplitude: 0.9}\n", "x").check_program(
        joint, lambda _: START, 100
    )


def test_experiments_plan_within_the_labs_limits(guard: Guard) -> None:
    device = guard("limits: 1\ndrive: {amplitude: 0.5, bands: [[4.9 GHz, 4950 MHz], [5 GHz, 5.1 GHz]]}\n")
    assert device.limits.amplitude == (0.0, 0.5)
    assert device.limits.drive_frequency == (4900.0, 5100.0)
    assert device.limits.readout_frequency == Limits().readout_frequency


@pytest.mark.parametrize(
    ("limits", "changes"),
    [
        ("writes: none", {"drag": 0.1}),
        ("writes: {frequency: 5 MHz}", {"drag": 0.1}),
        ("writes: {frequency: 5 MHz, drag: any}", {"frequency": 5005.1, "drag": 0.1}),
        ("qubits: {Q1: {writes: none}}", {"drag": 0.1}),
        ("drive: {amplitude: 0.45}", {"amplitude_pi": 0.46}),
        ("drive: {bands: [[4 GHz, 5001 MHz]]}", {"frequency": 5002.0}),
    ],
)
def test_what_may_not_be_written_is_not(limits: str, changes: dict[str, float], guard: Guard) -> None:
    device = guard(f"limits: 1\n{limits}\n")
    with pytest.raises(LabLimitError, match=r"limits.yaml, line 2"):
        device.settings.update("Q1", changes, key="a.update", reason="")
    assert device.settings.version == 0


def test_a_setting_cannot_be_moved_in_small_steps(guard: Guard) -> None:
    device = guard("limits: 1\nwrites: {frequency: 5 MHz}\n")
    for step in range(1, 6):
        device.settings.update("Q1", {"frequency": 5000.0 + step}, key=f"{step}", reason="")
    device.close()
    device = guard("limits: 1\nwrites: {frequency: 5 MHz}\n")  # a later life of the run
    with pytest.raises(LabLimitError, match="5000 would become 5006"):
        device.settings.update("Q1", {"frequency": 5006.0}, key="6", reason="")
    device.settings.revert(5, key="back", reason="")
    assert device.settings.current("Q1").frequency == 5004.0


class Deaf(JournaledSettings):
    """Instruments that keep an amplitude to two digits, or change another setting with it."""

    heard = staticmethod(lambda now: now)

    def current(self, qubit: str) -> QubitSettings:
        return self.heard(super().current(qubit)) if self.version else super().current(qubit)


@pytest.mark.parametrize(
    ("heard", "wrong"),
    [
        (lambda now: replace(now, amplitude_pi=round(now.amplitude_pi, 2)), "amplitude_pi of Q1 was written as 0.4321"),
        (lambda now: replace(now, frequency=now.frequency + 1), "frequency of Q1 was written as 5000, but .* 5001"),
    ],
)
def test_a_write_that_does_not_hold_stops_the_run(heard: Any, wrong: str, guard: Guard) -> None:
    device = guard()
    guard.made[0]._settings.__class__ = type("Heard", (Deaf,), {"heard": staticmethod(heard)})
    for _ in range(2):  # and again when the run is resumed
        with pytest.raises(SafetyStop, match=wrong):
            device.settings.update("Q1", {"amplitude_pi": 0.4321}, key="a.update", reason="")


def test_device_time_counts_over_all_lives_and_repetitions_cost_nothing(guard: Guard) -> None:
    text = "limits: 1\nrun: {device_time: 50 ms, actions: 5}\n"  # an acquisition takes 100 * (201 + 0.06) us
    device = guard(text)
    first = device.acquire(program(), "a.0")
    device.close()
    device = guard(text)
    assert device.acquire(program(), "a.0").seconds == first.seconds
    device.acquire(program(), "b.0")
    with pytest.raises(SafetyStop, match=r"0.0 of 0.05 s of device time.*limits.yaml, line 2, run.device_time"):
        device.acquire(program(), "c.0")
    assert device.clock == pytest.approx(2 * first.seconds)


def test_measurements_are_counted_not_their_acquisitions(guard: Guard) -> None:
    device = guard("limits: 1\nrun: {actions: 2}\n")
    for key in ("a.0", "a.1", "b.0", "a.0"):
        device.acquire(program(), key)
    with pytest.raises(SafetyStop, match="2 of 2 measurements"):
        device.acquire(program(), "c.0")


def test_nothing_is_driven_without_a_permit(guard: Guard, monkeypatch: pytest.MonkeyPatch) -> None:
    device = guard()

    def refuse() -> None:
        raise SafetyStop("not approved")

    monkeypatch.setattr(guard, "_permit", refuse)
    device = guard(make=lambda _: guard.made[0])
    with pytest.raises(SafetyStop):
        device.acquire(program(), "a.0")
    with pytest.raises(SafetyStop):
        device.settings.update("Q1", {"drag": 0.1}, key="a.update", reason="")
    assert (device.clock, device.settings.version) == (0, 0)


def test_the_device_rests_when_it_is_given_back(guard: Guard) -> None:
    device = guard()
    rack = guard.made[0]
    device.acquire(program(), "a.0")
    on = rack.on
    device.close()
    assert (on, rack.on) == (True, False)
    assert [event["kind"] for event in guard.events] == ["safe_state"]


def test_the_device_rests_when_an_acquisition_breaks(guard: Guard) -> None:
    device = guard()
    guard.made[0].breaks = True
    with pytest.raises(OSError, match="no answer"):
        device.acquire(program(), "a.0")
    assert not guard.made[0].on
    assert guard.events[0]["reason"] == "an acquisition ended with OSError"


def test_the_device_rests_before_anything_else_after_a_crash(guard: Guard) -> None:
    device = guard()
    device.acquire(program(), "a.0")
    guard.made[0].close()  # the process is gone: its locks are, too
    device._watch.release()  # type: ignore[attr-defined]
    guard()
    assert guard.made[1].rested == 1
    assert "died while it drove the device" in guard.events[0]["reason"]
    guard.made[1].close()
    guard()
    assert guard.made[2].rested == 0


def test_a_device_that_does_not_come_to_rest_is_said_and_tried_again(guard: Guard) -> None:
    device = guard()
    device.acquire(program(), "a.0")
    guard.made[0].stuck = True
    with pytest.raises(SafetyStop, match=r"switch\s+its outputs off by hand"):
        device.close()
    guard()
    assert guard.made[1].rested == 1


def test_one_process_drives_a_device(guard: Guard, tmp_path: Path) -> None:
    guard().acquire(program(), "a.0")
    other = Guard(tmp_path)
    second = other(make=lambda _: Rack(tmp_path / "other folder"))
    with pytest.raises(LeaseError):
        second.acquire(program(), "b.0")
    assert other.made[0].rested == 0, "who drives it is alive"


def test_a_guarded_device_can_what_the_device_can(guard: Guard, tmp_path: Path) -> None:
    simulated = guard(make=lambda folder: open_simulated(folder, 1))
    assert isinstance(simulated, SharedDevice)
    assert isinstance(simulated, IdleDevice)
    simulated.wait(10, "idle")
    assert simulated.clock == 10
    rack = Guard(tmp_path / "rack")()
    assert not isinstance(rack, SharedDevice | IdleDevice)
    assert isinstance(rack, SafeDevice)
    assert rack.shot_overhead == 100.0  # type: ignore[attr-defined]


def test_programs_that_are_played_together_are_each_held_to_the_limits(guard: Guard) -> None:
    device: Any = guard(
        "limits: 1\nqubits: {Q2: {drive: {amplitude: 0.3}}}\nrun: {actions: 1}\n",
        lambda folder: open_simulated(folder, 1),
    )
    loud = {"a.0": program(), "b.0": replace(program(), qubit="Q2")}
    with pytest.raises(LabLimitError, match=r"amplitude 0.4 of Q2"):
        device.acquire_together(loud)
    with pytest.raises(SafetyStop, match="0 of 1 measurements"):
        device.acquire_together({"a.0": program(), "b.0": replace(program(0.2), qubit="Q2")})
    assert device.clock == 0


def test_parameters_of_experiments_are_bounded(guard: Guard) -> None:
    device = guard("limits: 1\nrun: {parameters: {shots: 500, t1.stop: [100 us, 0.3 ms]}}\n")
    t1 = experiments(None)["t1"]
    for wrong in ({"shots": 501}, {"shots": 500, "stop": 301.0}, {"shots": 500, "stop": 99.0}, {}):
        with pytest.raises(LabLimitError, match=r"limits.yaml, line 2, run.parameters"):
            t1(Bench(device, "a")).run(qubit="Q1", **wrong)
    t1(Bench(device, "a")).run(qubit="Q1", shots=500, stop=300.0)
    assert device.clock > 0


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("limits: 1\n", "It limits nothing"),
        ("limits: 2\ndrive: {amplitude: 0.5}", "line 1: limits"),
        ("limits: 1\ndrive:\n  amplitude: 1.5", "line 3: drive.amplitude"),
        ("limits: 1\ndrive:\n  amplitud: 0.5", "line 3: drive.amplitud"),
        ("limits: 1\ndrive:\n  bands: [[4700, 5100]]", "line 3: drive.bands.0.0: .*4700 has no unit"),
        ("limits: 1\ndrive:\n  bands: [[5.1 GHz, 4.7 GHz]]", "line 3: drive.bands: .*lower end first"),
        ("limits: 1\nrun:\n  device_time: 5 MHz", "line 3: run.device_time: .*must be in s"),
        ("limits: 1\nwrites:\n  frequencie: 5 MHz", "line 2: writes: .*no setting 'frequencie'"),
        ("limits: 1\nwrites:\n  frequency: 5 us", "line 2: writes: .*must be in MHz"),
        ("limits: 1\ndrive: {amplitude: 0.5}\ndrive: {amplitude: 0.9}", "comes twice"),
    ],
)
def test_a_mistake_in_the_file_is_said_with_its_line(text: str, says: str) -> None:
    with pytest.raises(SpecificationError, match=says):
        read_law(text, "limits.yaml")
