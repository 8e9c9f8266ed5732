"""The device time of a call, estimated before it is played; test_conformance.py compares all with runs."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from labwright.tools.experiments.call import ExperimentCall
from labwright.tools.experiments.duration_estimate import estimated_seconds, shot_overhead
from labwright.tools.experiments.perform import perform
from labwright.tools.experiments.registry import card, experiments
from labwright.tools.qpu.device import Device
from labwright.tools.qpu.opening import open_device
from labwright.tools.specifications.plan_to_sentences import SAMPLING

CLASSES = experiments()
PAIR = {"qubit": "Q1", "partner": "Q2"}
NEEDED: dict[str, dict[str, Any]] = {  # what has no default, besides one qubit
    **dict.fromkeys(("two_qubit_rb", "simultaneous_rb"), PAIR),
    "state_tomography": {"qubits": "Q1,Q2"},
}


def call(name: str, **more: Any) -> ExperimentCall:
    return ExperimentCall(name, NEEDED.get(name, {"qubit": "Q1"}) | more)


@pytest.fixture
def device(open_with_gate: Callable[..., Device]) -> Device:
    return open_with_gate()


@pytest.mark.parametrize(
    ("name", "chosen"),
    [
        ("amplitude_pingpong", {"iterations": 2}),
        ("amplitude_pingpong", {"points": 30}),
        ("state_tomography", {"qubits": "Q1", "state": "zero", "shots": 1000}),
    ],
)
def test_it_follows_the_arguments(name: str, chosen: dict[str, Any], device: Device) -> None:
    told = estimated_seconds(CLASSES[name], call(name, **chosen), device)
    assert told == pytest.approx(perform(CLASSES[name], call(name, **chosen), device, "one").seconds, rel=0.1)


@pytest.mark.parametrize("name", ["t2_ramsey", "t1", "drag_calibration", "qubit_spectroscopy", "dispersive_shift"])
def test_what_a_plan_shows_of_a_step_is_all_that_decides_how_long_it_takes(name: str, device: Device) -> None:
    told = estimated_seconds(CLASSES[name], call(name), device)
    for each in card(CLASSES[name]).parameters:
        if each.type in ("int", "float") and each.name not in SAMPLING:
            more = estimated_seconds(CLASSES[name], call(name, **{each.name: 2 * each.default}), device)
            assert more == pytest.approx(told, rel=0.05), each.name


@pytest.mark.slow
def test_more_sequences_than_the_device_takes_at_once_are_counted(device: Device) -> None:
    kind, chosen = CLASSES["simultaneous_rb"], {"lengths": 20, "max_length": 64}
    few, many = (estimated_seconds(kind, call(kind.name, kinds=kinds, **chosen), device) for kinds in (20, 40))
    assert few is not None
    assert many == pytest.approx(2 * few, rel=0.1)


def test_nobody_can_tell_where_the_device_refuses_or_does_not_say(device: Device, tmp_path: Path) -> None:
    assert estimated_seconds(CLASSES["rabi"], call("rabi", qubit="Q99"), device) is None
    assert estimated_seconds(CLASSES["two_qubit_rb"], call("two_qubit_rb", partner="Q8"), device) is None
    template = Path(__file__).parents[3] / "tools" / "lab_template" / "device.py"
    lab = open_device(f"{template}:open_device", tmp_path / "lab", 1)
    told, taken = (
        estimated_seconds(CLASSES["t1"], call("t1"), lab),
        perform(CLASSES["t1"], call("t1"), lab, "one").seconds,
    )
    assert told == pytest.approx(taken)
    type(lab).shot_overhead = None  # type: ignore[attr-defined]
    assert shot_overhead(lab) is None
    lab.close()
