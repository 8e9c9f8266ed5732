"""Causes, what is believed of them, and the looks that tell them apart, on devices whose faults are known."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from scipy.special import ndtr

from labwright.tools.experiments.base import Bench
from labwright.tools.experiments.failure_causes import NOISE_FLOOR
from labwright.tools.experiments.gates import half_turn, program
from labwright.tools.experiments.needs import FREQUENCY
from labwright.tools.qpu.dynamics import Transmon
from labwright.tools.qpu.playback import populations
from labwright.tools.qpu.settings import QubitSettings
from labwright.tools.qpu.simulated import SimulatedProcessor
from labwright.tools.qpu.starting_settings import BEST_DRAG, Start, believed, drawn_device
from labwright.tools.qpu.truth import DeviceTruth, QubitTruth
from labwright.tools.upkeep.causes import Belief, hypotheses, table
from labwright.tools.upkeep.diagnosing import SURE, diagnose
from labwright.tools.upkeep.diagnostic_looks import LOOKS, Scene

GOOD = drawn_device(5)[0].qubits["Q1"]


def device(folder: Path, start: dict[str, float] | None = None, **truth: Any) -> SimulatedProcessor:
    """A qubit with faults of `truth`, and settings that are off by `start`."""
    qubit = replace(GOOD, **truth)
    right = believed(GOOD, Start(0.8, 0.1, BEST_DRAG))
    settings = right.changed({name: getattr(right, name) + off for name, off in (start or {}).items()})
    return SimulatedProcessor(folder, 3, DeviceTruth({"Q1": qubit}), {"Q1": settings})


def flipped(settings: QubitSettings, detuning: float = 0.0, amplitude: float = 1.0) -> float:
    """What a pi pulse excites."""
    played = settings.changed({"amplitude_pi": amplitude * settings.amplitude_pi})
    ideal: QubitTruth = replace(GOOD, thermal=0.0)
    return float(populations(Transmon(ideal, detuning), program("Q1", [[half_turn(played)]], 1))[0, 1])


def test_the_bounds_are_those_that_their_reasons_give() -> None:
    causes = table()[0]
    right = believed(GOOD, Start(0.0, 0.0, BEST_DRAG))
    missed = {"frequency": 1 - flipped(right, causes["frequency"].above or 0.0)}
    missed["drive_strength"] = 1 - flipped(right, amplitude=1 + (causes["drive_strength"].above or 0.0))
    assert missed == pytest.approx(dict.fromkeys(missed, 1 / 7), abs=0.03)
    assert causes["frequency_noise"].above == FREQUENCY.error
    assert float(ndtr(-(causes["readout_noise"].below or 0.0) / 2)) == pytest.approx(NOISE_FLOOR, abs=0.001)
    assert 0.03 / (3 * (causes["short_lifetime"].below or 0.0)) == pytest.approx(1e-3)


def test_a_look_takes_the_device_time_that_the_table_says(tmp_path: Path) -> None:
    bench = Bench(device(tmp_path), "looks")
    given = bench.settings("Q1")
    scene = Scene(bench, "Q1", given, given)
    for name, look in table()[1].items():
        before = bench.seconds
        assert LOOKS[name](scene), f"{name} sees nothing on a good device"
        assert bench.seconds - before == pytest.approx(look.seconds, rel=0.1), name


def test_a_look_that_is_blinded_or_hidden_tells_little_and_what_hid_it_is_forgotten_with_it() -> None:
    fresh = Belief.at_first()
    assert fresh.gain("pulse") > 0.5
    blind = fresh.after("pulse", {})
    assert blind.singly["frequency"] > 2 * blind.singly["short_lifetime"]
    misread = fresh.after("pulse", {"drive_strength": 0.995, "readout_noise": 0.995})
    cleared = misread.after("line", {"frequency": 0.995})
    assert cleared.repaired == {"frequency"}
    assert cleared.singly["drive_strength"] < 0.3  # what the pulse told while the drive was far off is taken back
    assert cleared.after("pulse", {"drive_strength": 0.005, "readout_noise": 0.005}).singly["drive_strength"] < 0.02


def test_an_earlier_case_raises_what_it_names_and_a_wrong_one_is_overruled() -> None:
    assert sum(Belief.at_first().weights) == pytest.approx(1)
    assert len({round(float(p), 12) for p in Belief.at_first().weights}) == 1
    remembered = Belief.at_first([["frequency", "short_lifetime"]])
    assert remembered.best[0] == {"frequency", "short_lifetime"}
    assert remembered.best[1] == pytest.approx((1 + len(hypotheses())) / (2 * len(hypotheses())))
    overruled = remembered.after("line", {"frequency": 0.005}).after("decay", {"short_lifetime": 0.005})
    assert overruled.singly["frequency"] < 0.02


@pytest.mark.slow
@pytest.mark.parametrize(
    ("causes", "start", "truth"),
    [
        ({"frequency", "short_lifetime"}, {"frequency": -32.0}, {"t1": 4.0, "t2_echo": 4.5}),
        (
            {"readout_settings", "drive_strength"},
            {"readout_frequency": 2.2, "readout_angle": 1.4},
            {"drive_scale": 210.0},
        ),
        ({"readout_noise", "frequency"}, {"frequency": 27.0}, {"snr": 0.3}),
        ({"frequency_noise", "frequency_jump"}, {}, {"detuning_sigma": 0.025, "step": 0.9, "step_at": 120.0}),
    ],
    ids=lambda each: "+".join(sorted(each)),
)
def test_two_causes_at_once_are_named_and_what_settings_can_do_is_proposed(
    causes: set[str], start: dict[str, float], truth: dict[str, Any], tmp_path: Path
) -> None:
    found = diagnose(Bench(device(tmp_path, start, **truth), "diagnosis"), "Q1")
    assert found.causes == causes
    assert found.sure
    right = believed(replace(GOOD, **truth), Start(0.0, 0.0, BEST_DRAG))
    if "frequency" in causes:
        assert found.updates["frequency"] == pytest.approx(right.frequency, abs=0.1)
    if "drive_strength" in causes:
        assert found.updates["amplitude_pi"] == pytest.approx(right.amplitude_pi, rel=0.05)
    if "readout_settings" in causes:
        assert found.updates["readout_frequency"] == pytest.approx(right.readout_frequency, abs=0.4)
    if causes == {"frequency_noise", "frequency_jump"}:
        assert found.updates["frequency"] == pytest.approx(GOOD.frequency + 0.9, abs=0.05)


def test_a_good_qubit_has_no_known_cause_whatever_the_order_and_is_left_alone(tmp_path: Path) -> None:
    lot = random.Random(7)
    for name, how in {"bits": {}, "lot": {"choose": lambda _belief, looks: lot.choice([*looks, ""])}}.items():
        found = diagnose(Bench(device(tmp_path / name), name), "Q1", **how)
        assert not found.updates
        assert name == "lot" or (found.causes == frozenset() and found.probability > SURE)


@pytest.mark.slow
def test_a_diagnosis_that_is_repeated_plays_nothing_again_and_says_the_same(tmp_path: Path) -> None:
    opened = device(tmp_path, {"frequency": 25.0}, t1=4.0, t2_echo=4.5)
    first = diagnose(Bench(opened, "same"), "Q1")
    played = len(opened.log)
    assert diagnose(Bench(opened, "same"), "Q1").taken == first.taken
    assert len(opened.log) == played


def test_an_earlier_case_saves_acquisitions(tmp_path: Path) -> None:
    faults = {"detuning_sigma": 0.03, "t1": 5.0, "t2_echo": 5.0}
    alone = diagnose(Bench(device(tmp_path / "alone", **faults), "alone"), "Q1")
    again = diagnose(Bench(device(tmp_path / "again", **faults), "again"), "Q1", [alone.causes])
    assert again.causes == alone.causes == {"frequency_noise", "short_lifetime"}
    assert again.acquisitions < alone.acquisitions
