"""Simultaneous RB beside the true channels: what a qubit loses while the other is driven, and what it does not."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from labwright.tools.errors import InputError
from labwright.tools.experiments.base import Bench, Report
from labwright.tools.experiments.simultaneous_rb import SimultaneousRb
from labwright.tools.qpu.cliffords import clifford_group
from labwright.tools.qpu.crosstalk import felt_channels
from labwright.tools.qpu.dynamics import Tone
from labwright.tools.qpu.oracle import average_error, calibrated_gate
from labwright.tools.qpu.program import Pulse
from labwright.tools.qpu.simulated import SimulatedProcessor
from labwright.tools.qpu.starting_settings import choose

MIX = Counter(gate for gates in clifford_group().decompositions for gate in gates)


def device(folder: Path, crosstalk: float | None = None) -> SimulatedProcessor:
    truth, start = choose({"frequency_offset": 0.0, "amplitude_error": 0.0, "drag": 0.5})
    loud = truth if crosstalk is None else truth.with_numbers({"crosstalk": crosstalk})
    return SimulatedProcessor(folder / "device", 3, loud, start)


def measured(made: SimulatedProcessor, first: str, second: str, **chosen: int) -> Report:
    benchmark = SimultaneousRb(Bench(made, "rb"))
    benchmark.run(first, second, **chosen)
    made.close()
    return benchmark.report()


def true_error(made: SimulatedProcessor, qubit: str, other: str, driven: bool) -> float:
    """Mean error of a gate of `qubit`, `other` at rest or playing random gates as well; from the true channels."""
    own, its = made.settings.current(qubit), made.settings.current(other)
    transmon = made.transmon(qubit, own.frequency)
    truth = made.transmon(other, its.frequency).truth
    total = 0.0
    for gate, count in MIX.items():
        for beside, times in MIX.items() if driven else (("I", 1),):
            pulse, tones = calibrated_gate(beside, its), ()
            if isinstance(pulse, Pulse):
                away = its.frequency - own.frequency
                tones = (Tone(away, replace(pulse, phase=0.0), 1.0, truth.compression, truth.anharmonicity),)
            channel = felt_channels(replace(transmon, tones=tones), (calibrated_gate(gate, own),))[0]
            weight = count / MIX.total() * (times / MIX.total() if driven else 1)
            total += weight * average_error(channel, gate)
    return total


@pytest.mark.slow
@pytest.mark.parametrize("crosstalk", [0.05, pytest.param(None, marks=pytest.mark.slow)])
def test_uncoupled_neighbours_in_frequency_lose_what_the_true_channels_say(
    tmp_path: Path, crosstalk: float | None
) -> None:
    made = device(tmp_path, crosstalk)
    true = {
        (name, driven): true_error(made, name, other, driven)
        for name, other in (("Q2", "Q8"), ("Q8", "Q2"))
        for driven in (False, True)
    }
    report = measured(made, "Q2", "Q8", max_length=400 if crosstalk else 1024)
    assert report.verdict == "success", report
    assert report.diagnosis == "crosstalk seen on Q2 and Q8"
    for name, key in (("Q2", "first"), ("Q8", "second")):
        for driven, tail in ((False, ""), (True, "_beside")):
            found, wanted = report.estimates[f"error_per_gate_{key}{tail}"], true[name, driven]
            assert abs(found.value - wanted) < 4 * found.error + 0.05 * wanted, (name, driven, found, wanted)
        added = report.estimates[f"added_{key}"]
        assert added.value > 3 * added.error
    both = report.estimates["correlated"]
    assert abs(both.value) < 4 * both.error  # the tones have no common phase: errors are independent


@pytest.mark.slow
def test_far_neighbours_show_nothing(tmp_path: Path) -> None:
    report = measured(device(tmp_path), "Q1", "Q2", lengths=4, kinds=4, max_length=512)
    assert report.verdict in ("success", "bad_data"), report
    assert "no crosstalk seen" in report.diagnosis
    for key in ("first", "second"):
        added = report.estimates[f"added_{key}"]
        assert abs(added.value) < 3 * added.error


@pytest.mark.slow
def test_long_and_short_sequences_propose_better_ones(tmp_path: Path) -> None:
    long = measured(device(tmp_path / "long", 0.1), "Q2", "Q8", lengths=4, kinds=4)
    assert long.verdict == "adjust"
    assert 50 < long.proposal["max_length"] < 300
    short = measured(device(tmp_path / "short"), "Q2", "Q8", lengths=4, kinds=4, max_length=32)
    assert short.verdict in ("adjust", "bad_data")
    assert short.proposal


def test_one_qubit_is_not_two(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="two different qubits"):
        measured(device(tmp_path), "Q1", "Q1")
