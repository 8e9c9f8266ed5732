"""What is known of a setting after it was written, measured, looked at, taken back or changed by hand."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from labwright.tools.experiments.needs import AMPLITUDE, DRAG, FREQUENCY, HOUR, LINE, READOUT
from labwright.tools.experiments.registry import experiments
from labwright.tools.qpu.simulated import SimulatedProcessor, open_simulated
from labwright.tools.upkeep.calibration_graph import ONE_QUBIT, WHOLE
from labwright.tools.upkeep.upkeep_journal import Known, UpkeepBook


@pytest.fixture
def device(tmp_path: Path) -> Iterator[SimulatedProcessor]:
    made = open_simulated(tmp_path / "device", 1, {})
    yield made
    made.close()


@pytest.fixture
def book(tmp_path: Path) -> UpkeepBook:
    return UpkeepBook(tmp_path / "device")


def known(book: UpkeepBook, device: SimulatedProcessor, name: str = "Q1") -> dict[str, Known]:
    return book.settings(name, experiments(), device.settings)


def test_what_the_author_gave_is_unknown(book: UpkeepBook, device: SimulatedProcessor) -> None:
    found = known(book, device)["frequency"]
    assert found == Known(device.settings.current("Q1").frequency)
    assert found.met(FREQUENCY, 0.0) == ("unknown", "was never measured here")


def test_a_result_tells_value_error_and_age(book: UpkeepBook, device: SimulatedProcessor) -> None:
    device.settings.update("Q1", {"frequency": 4880.0}, key="a.update", reason="ramsey: corrected")
    written = known(book, device)["frequency"]
    assert (written.value, written.at, written.error, written.by) == (4880.0, 0.0, None, "ramsey")
    book.add("a result", "Q1", "ramsey", "measured", 60.0, {"frequency": 0.002})
    found = known(book, device)["frequency"]
    assert (found.at, found.error) == (60.0, 0.002)
    assert found.met(FREQUENCY, 60.0 + HOUR)[0] == "fresh"
    assert found.met(FREQUENCY, 61.0 + HOUR) == ("stale", "was last measured 1.0 h ago")
    assert known(book, device)["drag"].at is None
    assert "frequency" in book.knowledge("Q1", ONE_QUBIT, device.settings).seen


def test_a_result_that_writes_nothing_new_counts_too(book: UpkeepBook, device: SimulatedProcessor) -> None:
    book.add("a result", "Q1", "drag_calibration", "measured", 5.0, {"drag": 0.2})
    assert known(book, device)["drag"].met(DRAG, 5.0) == ("bad", "is not known well enough (0.2)")


def test_what_was_written_and_not_accepted_is_in_doubt(book: UpkeepBook, device: SimulatedProcessor) -> None:
    device.settings.update("Q1", {"frequency": 4880.0}, key="a.update", reason="ramsey: corrected")
    book.add("a result", "Q1", "ramsey", "unconfirmed", 1.0, {"frequency": 0.02})
    found = known(book, device)["frequency"]
    assert found.met(FREQUENCY, 1.0)[0] == "bad"
    assert "not accepted" in found.met(FREQUENCY, 1.0)[1]
    assert found.met(LINE, 1.0)[0] == "fresh"


def test_a_check_tells_how_far_off_a_setting_is(book: UpkeepBook, device: SimulatedProcessor) -> None:
    book.add("a", "Q1", "frequency", "calibrated", 0.0)
    book.add("b", "Q1", "frequency", "out_of_spec", 9.0, {"detuning": -0.3, "detuning_error": 0.01, "tolerance": 0.01})
    found = known(book, device)["frequency"]
    assert found.error == 0.3
    assert found.met(FREQUENCY, 9.0) == ("bad", "was found off by its last check (0.3)")
    assert found.met(LINE, 9.0)[0] == "fresh"
    book.add("c", "Q1", "amplitude", "out_of_spec", 9.0, {"pi": 0.01, "pi2": 0.0})
    amplitudes = known(book, device)
    assert amplitudes["amplitude_pi"].error == pytest.approx(0.01 * amplitudes["amplitude_pi"].value)
    assert amplitudes["amplitude_pi"].met(AMPLITUDE, 9.0)[0] == "bad"
    book.add("d", "Q1", "frequency", "calibrated", 20.0)
    assert known(book, device)["frequency"].met(FREQUENCY, 20.0)[0] == "fresh"


def test_a_check_without_a_number_leaves_a_tolerant_need_stale(book: UpkeepBook, device: SimulatedProcessor) -> None:
    book.add("a", "Q1", "readout", "out_of_spec", 1.0, {"contrast": 0.3})
    assert known(book, device)["readout_angle"].met(READOUT, 1.0)[0] == "stale"


def test_a_failed_calibration_spoils_all_that_it_is_for(book: UpkeepBook, device: SimulatedProcessor) -> None:
    book.add("a", "Q1", WHOLE.name, "failed", 1.0)
    assert known(book, device)["drag"].met(DRAG, 1.0) == ("bad", "could not be calibrated")
    assert known(book, device)["pulse_duration"].trouble == ""
    assert known(book, device, "Q2")["drag"].trouble == ""


def test_what_is_taken_back_is_as_it_was(book: UpkeepBook, device: SimulatedProcessor) -> None:
    device.settings.update("Q1", {"drag": 0.4}, key="a.update", reason="drag_calibration: fine")
    book.add("a result", "Q1", "drag_calibration", "measured", 0.0, {"drag": 0.01})
    before = known(book, device)["drag"]
    device.wait(60, "a minute")
    entry = device.settings.update("Q1", {"drag": 0.9}, key="b.update", reason="drag_calibration: odd")
    assert known(book, device)["drag"].error is None
    device.settings.revert(entry.version, key="b.revert", reason="figure and numbers contradict each other")
    assert known(book, device)["drag"] == before


def test_what_somebody_sets_by_hand_nobody_has_measured(book: UpkeepBook, device: SimulatedProcessor) -> None:
    device.settings.update("Q1", {"drag": 0.4, "frequency": 4880.0}, key="a.update", reason="ramsey: x")
    device.settings.update("Q1", {"frequency": 4881.0}, key="hand", reason="from the notebook")
    assert known(book, device)["frequency"] == Known(4881.0)


def test_the_gate_of_a_pair_has_a_memory_of_its_own(book: UpkeepBook, device: SimulatedProcessor) -> None:
    gate = {"duration": 0.45, "z_first": 0.1, "z_second": 0.2}
    device.settings.update("Q1-Q2", gate, key="a.update", reason="stark_echo_tuneup: timed")
    found = known(book, device, "Q1-Q2")
    assert found["duration"].by == "stark_echo_tuneup"
    assert found["frequency"].at is None
    assert known(book, device)["frequency"].at is None
