"""How long a call will occupy the device, told before anything is played."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from labwright.tools.errors import InputError
from labwright.tools.experiments.base import Experiment
from labwright.tools.experiments.call import ExperimentCall
from labwright.tools.experiments.perform import rehearsed
from labwright.tools.qpu.device import Device
from labwright.tools.qpu.joint_program import AnyProgram, JointProgram, slot_times
from labwright.tools.qpu.timing import sequence_times

SIMULATED = "simulated"
# us a shot of the simulated processor: 400 to reset and 2 to read out. It keeps both to itself, and no experiment may
# read its truth; a test holds this number against what it takes.
SIMULATED_OVERHEAD = 402.0


@runtime_checkable
class TimedDevice(Protocol):
    """A device that says what a shot takes besides its sequence."""

    @property
    def shot_overhead(self) -> float:
        """Readout and reset of one shot, us."""
        ...


def estimated_seconds(kind: type[Experiment], call: ExperimentCall, device: Device) -> float | None:
    """Device time that `call` is expected to take, s, from its first program; plays nothing.

    A search may stop earlier: for it this is what its budget of acquisitions comes to. None where it is unknown: the
    device does not say what a shot takes, or it would refuse the call as things stand, such as the benchmark of a pair
    whose gate is still to be found.
    """
    overhead = shot_overhead(device)
    if overhead is None:
        return None
    try:
        experiment, program = rehearsed(kind, call, device)
    except InputError:
        return None
    return None if program is None else experiment.expected_acquisitions() * program_seconds(program, overhead)


def program_seconds(program: AnyProgram, overhead: float) -> float:
    """Device time of one acquisition, s; `overhead` is what a shot takes besides its sequence, us."""
    if isinstance(program, JointProgram):
        played = sum(float(times.sum()) for times in slot_times(program))
    else:
        played = float(sequence_times(program).sum())
    return program.shots * (played + overhead * len(program.sequences)) * 1e-6


def shot_overhead(device: Device) -> float | None:
    """Readout and reset of one shot, us; None where the device does not say."""
    if isinstance(device, TimedDevice):
        return device.shot_overhead
    return SIMULATED_OVERHEAD if device.name == SIMULATED else None
