"""What a run prints at its end."""

from labwright.apps.calibration_summary import measured_line, qubit_table

T1 = {"value": 120.8, "error": 1.6, "unit": "us", "main": True}
ENTRY = {
    "before": {"drag": 0.1},
    "after": {"drag": 0.1},
    "rb_error_per_gate": None,
    "measured": {
        "t1.t1": T1,
        "t1.contrast": {**T1, "main": False},
        "drag_calibration.optimum": {"value": 0.1, "error": 0.01, "unit": "", "main": True},
    },
}


def test_a_measurement_that_changes_nothing_shows_its_number_and_no_empty_table() -> None:
    assert qubit_table("Q1", ENTRY) is None
    assert measured_line("Q1", ENTRY) == "Q1 measured: t1 121(2) us"


def test_a_limit_stands_only_beside_a_measured_error() -> None:
    calibrated = {**ENTRY, "after": {"drag": 0.4}}
    plain = qubit_table("Q1", calibrated)
    assert [column.header for column in plain.columns] == ["Q1", "before", "after"]
    assert qubit_table("Q1", {**calibrated, "rb_error_per_gate": 1e-4}).columns[-1].header == "limit"


def test_nothing_measured_says_nothing() -> None:
    assert measured_line("Q1", {"measured": {}}) == ""
