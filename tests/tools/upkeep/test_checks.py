"""Every check sees the parameter it is for, with its sign and size, and lets a calibrated qubit pass."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tiers import sampled

from labwright.tools.experiments.base import Bench
from labwright.tools.qpu.oracle import optimal_settings
from labwright.tools.qpu.settings import QubitSettings
from labwright.tools.qpu.simulated import SimulatedProcessor, open_simulated
from labwright.tools.upkeep.calibration_graph import ONE_QUBIT
from labwright.tools.upkeep.checks import CHECKS, Checked
from labwright.tools.upkeep.upkeep_journal import UpkeepBook

STILL: dict[str, float | str] = {"device": "grid:4", "drift_sigma": 0.0, "amplitude_drift": 0.0, "jump_rate": 0.0}
QUBIT = "Q7"
LIMIT = 1.25e-4  # of Q7


@pytest.fixture(scope="module")
def right(tmp_path_factory: pytest.TempPathFactory) -> QubitSettings:
    device = open_simulated(tmp_path_factory.mktemp("right"), 11, STILL)
    best = optimal_settings(device.transmon(QUBIT, device.settings.current(QUBIT).frequency))
    device.close()
    return best


@pytest.fixture
def device(tmp_path: Path) -> Iterator[SimulatedProcessor]:
    opened = open_simulated(tmp_path / "device", 11, STILL)
    yield opened
    opened.close()


def checked(device: SimulatedProcessor, right: QubitSettings, node: str, **off: float) -> Checked:
    """The check of `node` on the right settings, but for what is `off`."""
    names = ("frequency", "amplitude_pi", "amplitude_pi2", "drag")
    values = {name: getattr(right, name) + off.get(name, 0.0) for name in names}
    device.settings.update(QUBIT, values, key="set", reason="test")
    return CHECKS[node](Bench(device, node), QUBIT, {"error_per_gate": LIMIT} if node == "gates" else {})


@pytest.mark.parametrize("node", sampled(ONE_QUBIT, 3))
def test_a_calibrated_qubit_passes(node: str, device: SimulatedProcessor, right: QubitSettings) -> None:
    found = checked(device, right, node)
    assert found.found == "in_spec", found.detail
    assert device.clock < 8.0  # s; a look at data is not a measurement


@pytest.mark.parametrize("off", [0.03, -0.03, 0.3, -1.2])
def test_the_frequency_is_told_with_its_sign(off: float, device: SimulatedProcessor, right: QubitSettings) -> None:
    found = checked(device, right, "frequency", frequency=off)
    assert found.found == "out_of_spec"
    # the phase that the fringe turns by is that of drive minus qubit
    assert found.numbers["detuning"] == pytest.approx(-off, abs=0.004 + 0.05 * abs(off))


@pytest.mark.parametrize(("name", "told"), [("amplitude_pi", "pi"), ("amplitude_pi2", "pi2")])
@pytest.mark.parametrize("relative", [0.005, -0.006])
def test_amplitudes_are_told_apart(
    name: str, told: str, relative: float, device: SimulatedProcessor, right: QubitSettings
) -> None:
    found = checked(device, right, "amplitude", **{name: relative * getattr(right, name)})
    assert found.found == "out_of_spec"
    assert found.numbers[told] == pytest.approx(relative, abs=0.0015)


@pytest.mark.parametrize("off", [0.12, -0.12])
def test_the_drag_coefficient_is_told(off: float, device: SimulatedProcessor, right: QubitSettings) -> None:
    found = checked(device, right, "drag", drag=off)
    assert found.found == "out_of_spec"
    assert found.numbers["drag_error"] == pytest.approx(off, abs=0.04)


def test_wrong_gates_are_bad_data_and_a_lost_qubit_too(device: SimulatedProcessor, right: QubitSettings) -> None:
    assert checked(device, right, "gates", frequency=0.3).found == "bad_data"
    lost = {"frequency": 40.0}
    assert CHECKS["amplitude"](Bench(device, "a"), QUBIT, {}).found in ("in_spec", "out_of_spec")
    device.settings.update(QUBIT, {"frequency": right.frequency + lost["frequency"]}, key="lost", reason="test")
    assert CHECKS["amplitude"](Bench(device, "b"), QUBIT, {}).found == "bad_data"
    assert CHECKS["readout"](Bench(device, "c"), QUBIT, {}).found == "out_of_spec"


def test_the_book_remembers_once_and_knows_what_experiments_wrote(
    tmp_path: Path, device: SimulatedProcessor, right: QubitSettings
) -> None:
    book = UpkeepBook(tmp_path / "book")
    device.wait(100.0, "a")
    device.settings.update(QUBIT, {"frequency": 5000.0}, key="r", reason="ramsey: clear")
    device.wait(100.0, "b")
    book.add("k", QUBIT, "gates", "calibrated", 150.0, {"error_per_gate": 2e-4})
    book.add("k", QUBIT, "gates", "calibrated", 999.0)
    book.add("l", QUBIT, "frequency", "in_spec", 190.0)
    again = UpkeepBook(tmp_path / "book")
    known = again.knowledge(QUBIT, ONE_QUBIT, device.settings)
    assert known.calibrated == {"frequency": 100.0, "gates": 150.0}
    assert known.seen == {"frequency": 190.0, "gates": 150.0}
    assert again.numbers(QUBIT, "gates") == {"error_per_gate": 2e-4}
    assert again.knowledge(QUBIT, ONE_QUBIT, device.settings, before=120.0).seen == {"frequency": 100.0}
    again.add("m", QUBIT, "whole", "calibrated", 200.0)
    assert set(again.knowledge(QUBIT, ONE_QUBIT, device.settings).seen) == set(ONE_QUBIT)
    again.add("n", QUBIT, "drag", "failed", 210.0)
    assert "drag" not in again.knowledge(QUBIT, ONE_QUBIT, device.settings).seen
