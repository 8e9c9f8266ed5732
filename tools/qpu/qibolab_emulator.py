"""qibolab's emulator as a `Device`: a transmon that nobody here wrote, solved by QuTiP in the laboratory frame.

It resolves every oscillation of the drive: a microsecond of sequence takes one to three seconds. Readout is perfect,
the resonator is not modelled. Its acquisition takes a look at the state and leaves it alone, so sequences of which one
is the beginning of the other share one evolution; hardware could not do that.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from qibolab import (
    Acquisition,
    AcquisitionChannel,
    AcquisitionConfig,
    ConfigKinds,
    IqChannel,
    IqConfig,
    Parameters,
    Platform,
    PulseSequence,
    Qubit,
)
from qibolab.instruments.emulator import DriveEmulatorConfig, EmulatorController, HamiltonianConfig

from labwright.tools.errors import InputError
from labwright.tools.qpu.device import Limits
from labwright.tools.qpu.lab_device import Shots
from labwright.tools.qpu.program import Delay, Operation, Program
from labwright.tools.qpu.pulses import gaussian
from labwright.tools.qpu.qibolab_device import MHZ, QibolabDevice, signals_left_alone
from labwright.tools.qpu.qibolab_pulses import NS, sequence_of
from labwright.tools.qpu.settings import QubitSettings
from labwright.tools.qpu.timing import sequence_times

QUBIT = "Q0"
SAMPLES_A_NS = 2.0
PULSE_DURATION = 0.03
LIMITS = Limits(
    amplitude=(0.0, 1.0),
    pulse_duration=(0.0005, 2.0),
    sequence_duration=(0.0, 20.0),  # us; the time that a person waits
    drive_frequency=(4000.0, 6000.0),
    readout_frequency=(6000.0, 8000.0),
    shots=(1, 20000),
    points=(1, 200),
)
TRUTH: dict[str, float] = {
    "frequency": 5000.0,  # MHz
    "anharmonicity": -200.0,  # MHz
    "t1": 2.0,  # us
    "t2": 2.5,  # us
    "rabi_frequency": 50.0,  # MHz at full scale
    "levels": 3.0,
    "frequency_offset": 1.0,  # MHz, believed minus true
    "amplitude_error": 0.1,  # believed over right amplitude, minus 1
}


class EmulatedQubit(QibolabDevice):
    """The emulator's qubit."""

    harmless = True

    def __init__(self, folder: Path, seed: int, truth: dict[str, float]) -> None:
        super().__init__(folder, emulator(truth), {QUBIT: believed(truth)}, LIMITS)
        self._seed = seed

    def measure(self, program: Program, settings: QubitSettings) -> Iterator[Shots]:
        """One evolution for every group of sequences that begin alike."""
        _, element = self._elements[program.qubit]
        times = sequence_times(program)
        sequences: list[PulseSequence] = []
        looks: dict[int, Acquisition] = {}
        for group in groups_that_begin_alike(program):
            longest = max(group, key=lambda point: float(times[point]))
            operations = [program.operations[i] for i in program.sequences[longest]]
            order = sorted(group, key=lambda point: float(times[point]))
            looks |= {point: Acquisition(duration=0.0) for point in order}
            readouts = [(float(times[point]), looks[point]) for point in order]
            sequences.append(sequence_of(operations, element, readouts, self._rate, settings.anharmonicity))
        with drawn_from(self._seed, len(self._journal.entries)):
            got = self._executed(sequences, program, settings, settings.readout_frequency)
        yield from (got[looks[point].id] for point in range(len(program.sequences)))


class drawn_from:  # noqa: N801 - reads as a phrase: with drawn_from(seed, 3)
    """numpy's global generator, which the emulator draws its shots from, set by (seed, number) and given back."""

    def __init__(self, seed: int, number: int) -> None:
        self._key = np.random.SeedSequence([seed, number]).generate_state(4)
        self._before: Any = None

    def __enter__(self) -> None:
        self._before = np.random.get_state()
        np.random.seed(self._key)

    def __exit__(self, *_: object) -> None:
        np.random.set_state(self._before)


def groups_that_begin_alike(program: Program) -> list[list[int]]:
    """Points whose sequences differ only in how long their last delay, or last plain square pulse, is."""
    groups: dict[tuple[Any, ...], list[int]] = {}
    for point, sequence in enumerate(program.sequences):
        operations = [program.operations[i] for i in sequence]
        groups.setdefault((*operations[:-1], *map(_without_length, operations[-1:])), []).append(point)
    return list(groups.values())


def _without_length(operation: Operation) -> Any:
    if isinstance(operation, Delay):
        return "delay"
    if operation.shape == "square" and operation.detuning == 0:
        return ("square", operation.amplitude, operation.phase)
    return operation


def emulator(truth: dict[str, float]) -> Platform:
    """A platform with one transmon of these numbers; see `TRUTH` for units."""
    if HamiltonianConfig not in ConfigKinds.registered():
        ConfigKinds.extend([HamiltonianConfig, DriveEmulatorConfig])
    qubit = Qubit.default("0", channels=["drive", "probe", "acquisition"])
    channels = {
        qubit.drive: IqChannel(mixer=None, lo=None),
        qubit.probe: IqChannel(mixer=None, lo=None),
        qubit.acquisition: AcquisitionChannel(twpa_pump=None, probe=qubit.probe),
    }
    controller = EmulatorController(address="0.0.0.0", channels=channels, sampling_rate_=SAMPLES_A_NS)
    transmon = {
        "frequency": truth["frequency"] * MHZ,
        "anharmonicity": truth["anharmonicity"] * MHZ,
        "t1": {(0, 1): truth["t1"] * NS},
        "t2": {(0, 1): truth["t2"] * NS},
    }
    configs = {
        "hamiltonian": HamiltonianConfig(transmon_levels=int(truth["levels"]), qubits={0: transmon}),
        qubit.drive: DriveEmulatorConfig(
            frequency=truth["frequency"] * MHZ, rabi_frequency=truth["rabi_frequency"] * MHZ
        ),
        qubit.probe: IqConfig(frequency=7e9),
        qubit.acquisition: AcquisitionConfig(delay=0.0, smearing=0.0),
    }
    with signals_left_alone():
        return Platform(
            name="emulator",
            parameters=Parameters(configs=configs),
            instruments={"emulator": controller},
            qubits={0: qubit},
        )


def believed(truth: dict[str, float]) -> QubitSettings:
    """What the controller starts with: right, but for the two offsets."""
    area = float(gaussian(np.ones(1), np.zeros(1), PULSE_DURATION, -200.0)[0].real.mean()) * PULSE_DURATION
    right = 0.5 / (area * truth["rabi_frequency"])
    return QubitSettings(
        frequency=truth["frequency"] + truth["frequency_offset"],
        amplitude_pi=right * (1 + truth["amplitude_error"]),
        amplitude_pi2=right / 2 * (1 + truth["amplitude_error"]),
        drag=0.0,
        pulse_duration=PULSE_DURATION,
        anharmonicity=truth["anharmonicity"],
        readout_frequency=7000.0,
        readout_amplitude=0.1,
        readout_angle=0.0,
        readout_threshold=0.5,
    )


def open_emulator(folder: Path, seed: int, options: dict[str, float | str]) -> EmulatedQubit:
    """The emulator's qubit; options are the numbers of `TRUTH`.

    Raises:
        InputError: an unknown option, or one that is no number.
    """
    truth = dict(TRUTH)
    for name, value in options.items():
        if name not in truth:
            raise InputError(f"There is no device option {name!r}. Options are: {', '.join(sorted(truth))}.")
        try:
            truth[name] = float(value)
        except ValueError:
            raise InputError(f"Device option `{name}` must be a number, but is {value!r}.") from None
    if truth["t2"] > 2 * truth["t1"]:
        raise InputError(
            f"Device option `t2` must be at most {2 * truth['t1']:g} us, twice t1, but is {truth['t2']:g}."
        )
    return EmulatedQubit(folder, seed, truth)
