"""Devices that nobody here wrote: a platform of qibolab, and its emulated transmon against our own dynamics."""

from __future__ import annotations

import dataclasses
import signal
import threading
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import labwright
from labwright.tools.errors import InputError
from labwright.tools.qpu.conformance import broken_device_promises
from labwright.tools.qpu.device import Device
from labwright.tools.qpu.dynamics import Transmon
from labwright.tools.qpu.opening import open_device
from labwright.tools.qpu.playback import populations
from labwright.tools.qpu.program import Delay, Program, Pulse
from labwright.tools.qpu.truth import QubitTruth

pytest.importorskip("qibolab", reason="the extra is not installed: pip install 'labwright[qibolab]'")
pytestmark = pytest.mark.filterwarnings("ignore:::qibolab", "ignore:::qutip")

# the emulator's qubit as our truth: no drift, no thermal population, a drive that does not compress
TRUTH = QubitTruth(
    5000.0, -200.0, 2.0, 2.5, 0.0, 9000.0, 2.0, 1e5, -0.2,
    thermal=0.0, drive_scale=50.0, compression=0.0,
)  # fmt: skip


@pytest.fixture
def emulator(tmp_path: Path) -> Iterator[Device]:
    device = open_device(
        "qibolab_emulator", tmp_path / "emulator", 1, {"frequency_offset": 0.0, "amplitude_error": 0.0}
    )
    yield device
    device.close()


def played(device: Device, sequences: list[list[Pulse | Delay]], shots: int = 20000) -> tuple[np.ndarray, np.ndarray]:
    """Fraction read as 1 on the device, and what our dynamics say."""
    alphabet = list(dict.fromkeys(operation for sequence in sequences for operation in sequence))
    indices = tuple(np.array([alphabet.index(o) for o in sequence], dtype=int) for sequence in sequences)
    program = Program("Q0", tuple(alphabet), indices, shots)
    got = device.acquire(program, f"key {device.clock}")
    book = device.settings.current("Q0")
    levels = populations(Transmon(TRUTH, TRUTH.frequency - book.frequency), dataclasses.replace(program, qubit="Q1"))
    assert got.counts is not None
    return got.counts / shots, 1 - levels[:, 0]


def train(drag: float) -> list[Pulse | Delay]:
    """pi and -pi in turn: what a wrong DRAG coefficient adds is added every time."""
    pulse = Pulse(0.62, 0.03, drag=drag)
    return [pulse, dataclasses.replace(pulse, phase=np.pi)] * 2


def test_the_emulator_and_our_dynamics_agree_on_phases_detunings_and_drag(emulator: Device) -> None:
    """The laboratory frame, solved by QuTiP, against the rotating frame: every sign and every factor counts."""
    x = Pulse(0.31, 0.03)
    y = dataclasses.replace(x, phase=np.pi / 2)
    sequences = [
        [x, y],
        [y, x],
        [x, Delay(0.05), dataclasses.replace(x, phase=1.0)],
        [x, dataclasses.replace(y, detuning=4.0), dataclasses.replace(x, phase=2.5)],
        [x, Delay(0.02), dataclasses.replace(y, detuning=-7.0, amplitude=0.5), y],
        [dataclasses.replace(y, drag=1.5), *train(1.5)],
        [dataclasses.replace(y, drag=-0.5), *train(-0.5)],
        [Pulse(0.4, 0.04, "square", phase=0.3), Pulse(0.4, 0.02, "square", phase=2.0, detuning=5.0), x],
    ]
    theirs, ours = played(emulator, sequences)
    assert abs(ours[0] - ours[2]) > 0.2  # a wrong sign of the phase would show
    assert abs(ours[5] - ours[6]) > 0.2  # and of the DRAG coefficient
    # theirs: three levels, no ladder of decay, a drive whose fast part is not averaged away
    assert np.abs(theirs - ours).max() < 0.02


def test_the_drive_frequency_is_that_of_the_settings(emulator: Device) -> None:
    """Half off resonance: with qubit above or below the drive, a phase of opposite sign comes back."""
    x = Pulse(0.31, 0.03)
    for frequency in (4996.0, 5004.0):
        emulator.settings.update("Q0", {"frequency": frequency}, key=f"{frequency}", reason="move")
        theirs, ours = played(emulator, [[x, Delay(0.06), dataclasses.replace(x, phase=p)] for p in (0.0, 1.5, 3.0)])
        assert np.abs(theirs - ours).max() < 0.02


def test_sequences_that_begin_alike_share_an_evolution_and_the_answer_stays(emulator: Device) -> None:
    flip = Pulse(0.62, 0.03)
    sequences: list[list[Pulse | Delay]] = [[flip, Delay(t)] for t in (0.3, 0.0, 0.6, 0.1)]
    together, ours = played(emulator, sequences)
    alone = np.concatenate([played(emulator, [sequence])[0] for sequence in sequences[:2]])
    assert np.abs(together[:2] - alone).max() < 0.02
    assert np.abs(together - ours).max() < 0.02
    assert list(np.argsort(together)) == [2, 0, 3, 1]


def test_the_same_seed_gives_the_same_shots_and_leaves_numpys_generator_alone(tmp_path: Path) -> None:
    program = Program("Q0", (Pulse(0.31, 0.03),), (np.array([0]),), 200)
    np.random.seed(5)
    expected = np.random.rand()
    np.random.seed(5)
    counts = []
    for seed, folder in ((1, "a"), (1, "b"), (2, "c")):
        device = open_device("qibolab_emulator", tmp_path / folder, seed)
        counts.append(int(device.acquire(program, "k").counts[0]))
        device.close()
    assert counts[0] == counts[1] != counts[2]
    assert np.random.rand() == expected


def test_the_emulator_keeps_the_protocol(tmp_path: Path) -> None:
    assert broken_device_promises(lambda: open_device("qibolab_emulator", tmp_path, 1)) == []


def test_a_platform_of_qibolab_keeps_the_protocol(tmp_path: Path) -> None:
    """Its dummy, whose instruments answer with noise: natives become settings, five qubits get names."""
    options: dict[str, float | str] = {"platform": "dummy"}
    assert broken_device_promises(lambda: open_device("qibolab", tmp_path, 1, options)) == []
    device = open_device("qibolab", tmp_path, 1, options)
    assert device.qubits == ("Q0", "Q1", "Q2", "Q3", "Q4")
    book = device.settings.current("Q0")
    assert (book.frequency, book.readout_frequency, book.readout_amplitude) == (4000.0, 5200.0, 0.1)
    assert book.pulse_duration == pytest.approx(0.022)
    # the native: 0.1 x a Gaussian of 22 ns with sigma 22/5; ours: sigma 22/4, lifted
    assert book.amplitude_pi == pytest.approx(0.1 * 0.489 / 0.535, rel=0.05)
    swept = Program(
        "Q0", (), (np.zeros(0, int),) * 3, 20, "shots", readout_frequency=np.array([5199.0, 5200.0, 5199.0])
    )
    assert device.acquire(swept, "swept").iq.shape == (3, 20)
    device.close()


def test_a_platform_takes_no_signals_and_opens_in_any_thread(tmp_path: Path) -> None:
    before = signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM)
    names: list[str] = []

    def opened() -> None:
        device = open_device("qibolab", tmp_path, 1, {"platform": "dummy"})
        names.append(device.name)
        device.close()

    thread = threading.Thread(target=opened)
    thread.start()
    thread.join()
    assert names == ["qibolab dummy"]
    opened()
    assert (signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM)) == before


def test_a_pulse_off_the_sampling_grid_is_refused(emulator: Device) -> None:
    program = Program("Q0", (Pulse(0.3, 0.03025),), (np.array([0]),), 10)
    with pytest.raises(InputError, match=r"whole number of samples of 0\.5 ns"):
        emulator.check(program)


@pytest.mark.parametrize(
    ("spec", "options", "says"),
    [
        ("qibolab", {}, "takes the option `platform`"),
        ("qibolab", {"platform": "no-such-platform"}, "no platform"),
        ("qibolab_emulator", {"colour": 3.0}, "no device option 'colour'"),
        ("qibolab_emulator", {"t1": "long"}, "must be a number"),
        ("qibolab_emulator", {"t2": 9.0}, "twice t1"),
    ],
)
def test_wrong_options_are_refused(tmp_path: Path, spec: str, options: dict[str, float | str], says: str) -> None:
    with pytest.raises(InputError, match=says):
        open_device(spec, tmp_path, 1, options)


PROCEDURE = """# Calibrate the emulated qubit 'dut'

## Background
An emulator that resolves every oscillation of the drive is slow, so sweeps are short and points few. The amplitude
comes first: with a lifetime of a microsecond, wrong pulses let relaxation bend the fringes.

## Steps
- Run a Rabi experiment on 'dut' at amplitude 0.4 with steps of 4 ns. If it fails, go to FAILED.
- Run a Ramsey experiment on 'dut' with an offset of 5 MHz, a stop time of 0.6 us, a step of 0.02 us and 4000 shots. If
  the frequency was corrected, repeat with the suggested parameters, at most 3 times. If it fails, go to FAILED.
- Measure T1 of 'dut' with a stop time of 4 us and 31 points. If it fails, go to FAILED. Otherwise go to COMPLETE.

## Results
- Frequency, pulse amplitude and T1.
"""


@pytest.mark.slow
def test_its_qubit_is_calibrated_through_the_same_graph(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ramsey, Rabi and T1 find the emulator's own numbers: 5000 MHz, 50 MHz at full scale, 1 us."""
    monkeypatch.chdir(tmp_path)
    outcome = labwright.calibrate(
        PROCEDURE,
        qubits=["Q0"],
        device="qibolab_emulator",
        device_options={"t1": 1.0, "t2": 1.5, "amplitude_error": 0.1},
    )
    assert outcome.status == "complete", outcome.reason
    assert [row["experiment"] for row in outcome.result["stages"]].count("ramsey") >= 2
    after, measured = (outcome.result["qubits"]["Q0"][name] for name in ("after", "measured"))
    assert after["frequency"] == pytest.approx(5000.0, abs=0.02)
    assert after["amplitude_pi"] == pytest.approx(0.6247, rel=0.01)
    life = next(value for name, value in measured.items() if name.endswith("t1"))
    assert abs(life["value"] - 1.0) < 4 * life["error"]
