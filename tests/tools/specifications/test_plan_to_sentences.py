"""A plan in plain sentences."""

from __future__ import annotations

from typing import Any

from plan_labs import catalogue, completed, said

from labwright.tools.experiments.call import ExperimentCall
from labwright.tools.specifications import short_form_parser
from labwright.tools.specifications.plan_completion import Completed
from labwright.tools.specifications.plan_to_sentences import calls_of, read_back, written_if_needed


def told(done: Completed, seconds: float | None = 50.0, **how: bool) -> str:
    def estimate(call: ExperimentCall) -> float | None:
        return seconds

    return read_back(done.plan, catalogue(), estimate, **how)


def test_steps_rules_what_is_written_and_how_long_it_takes() -> None:
    text = told(said("ramsey Q1, offset = 3 MHz. Repeat at most 3 times. If exhausted, go to FAILED; t1 Q1"))
    assert text.splitlines() == [
        "In this order:",
        "",
        "1. `ramsey Q1, offset = 3 MHz`; repeat at most 3 times; if exhausted, end as failed",
        "2. `t1 Q1`",
        "",
        "Writes: frequency.",
        "Device time without repetitions: about 100 s.",
    ]


def test_a_person_is_told_how_each_step_samples_and_how_long_it_takes() -> None:
    text = told(
        said("readout_calibration Q1; cpmg Q1, pulses = 16, shots = 1000; power_rabi Q1. Repeat at most 2 times"), 3.2,
        sampling=True,
    )  # fmt: skip
    assert text.splitlines()[2:5] == [
        "1. `readout_calibration Q1` (default: shots = 4000), 3.2 s",
        "2. `cpmg Q1, pulses = 16, shots = 1000` (default: stop = 300 us, points = 21), 3.2 s",
        "3. `power_rabi Q1` (default: stop = automatic, points = 51, shots = 2000), 3.2 s; repeat at most 2 times",
    ]
    assert "(default: points = 61, shots = 2000)\n" in told(said("t1 Q1; t1 Q1, stop = 2 * t1.t1"), sampling=True)
    whole = told(said("Benchmark single qubit Q1"), 20.0, sampling=True).splitlines()[2]
    assert whole.startswith('1. `"benchmark single qubit" Q1` (3 steps, shots = '), whole


def test_a_setting_that_only_a_recovery_writes_is_written_if_needed() -> None:
    assert written_if_needed(said("Calibrate single qubit Q1").plan, catalogue()) == [
        "readout_angle",
        "readout_threshold",
    ]
    assert written_if_needed(said("ramsey Q1; readout_calibration Q1").plan, catalogue()) == []


def test_a_name_with_a_space_and_a_placeholder_stand_in_quotes() -> None:
    own = {"t1-dut": {"title": "Own", "parameters": ["qubit"], "steps": [{"experiment": "t1", "qubits": ["qubit"]}]}}
    steps = [{"procedure": "t1-dut", "qubits": ["dut"]}, {"experiment": "t1", "qubits": ["dut"]}]
    lines = told(completed(*steps, for_="all", procedures=own)).splitlines()
    assert lines[2:4] == ["1. `\"t1 dut\" 'dut'`", "2. `t1 'dut'`"]
    assert short_form_parser.read("t1 'dut'", catalogue()).steps == [{"experiment": "t1", "qubits": ["dut"]}]


def test_what_writes_nothing_says_so() -> None:
    assert "Writes: nothing." in told(said("t1 Q1; ramsey Q1, writes = none"))


def test_a_time_that_is_not_known_is_a_lower_bound() -> None:
    late = said("t1 Q1; spin_echo Q1, stop = t1.t1")
    assert "at least 50 s" in told(late)
    assert "Device time" not in told(late, None)
    assert "at least 2.0 h" in told(said("Measure T1 of all qubits"), 7200.0)
    assert "about 5 min" in told(said("t1 Q1"), 300.0)


def test_scopes_approval_and_upkeep() -> None:
    def head(**more: Any) -> str:
        return told(completed("t1", **more)).splitlines()[0]

    assert head(for_="all", couplers=["Q1-Q2"]) == "For all qubits, side by side, then the couplers Q1-Q2:"
    assert head(for_=["Q1", "Q2"]) == "For Q1, Q2, side by side:"
    assert head(for_="pairs") == "For every coupled pair in turn:"
    assert told(completed("t1 Q1", approval="before every measurement")).endswith("Asks before every measurement.")
    assert told(said("maintain Q1")).startswith("Checks Q1 and calibrates again only what has gone stale.")


def test_procedures_are_counted_with_what_stands_below_them() -> None:
    done = said("Calibrate Q1 and benchmark it")
    calls = list(calls_of(done.plan, catalogue()))
    assert {step.experiment for step in calls} >= {"ramsey", "rabi", "t1", "single_qubit_rb"}
    assert {tuple(step.qubits) for step in calls} == {("Q1",)}
    assert "frequency" in told(done)
