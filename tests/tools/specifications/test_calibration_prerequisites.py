"""What a plan needs: put in where it says so, told where it is old, refused where it would spoil what is written."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from plan_labs import catalogue, lab, plan

from labwright.tools.experiments.needs import HOUR, Need
from labwright.tools.experiments.registry import experiments
from labwright.tools.specifications.calibration import Step
from labwright.tools.specifications.calibration_prerequisites import Upkeep, prepared
from labwright.tools.specifications.plan_completion import Completed, complete
from labwright.tools.specifications.plan_to_sentences import calls_of, read_back
from labwright.tools.upkeep import upkeep_journal as journal
from labwright.tools.upkeep.calibration_graph import graph_of
from labwright.tools.upkeep.upkeep_journal import Known

NOW = 100 * HOUR
GOOD = {
    "readout_frequency": 0.01, "readout_angle": None, "readout_threshold": None, "frequency": 0.001,
    "amplitude_pi": 0.0001, "amplitude_pi2": 0.0001, "drag": 0.01,
}  # fmt: skip
Memory = Mapping[str, Known]


def memory(hours: float = 0.1, **changes: Known) -> dict[str, Known]:
    """A qubit of which everything was measured `hours` ago, but for `changes`."""
    return {name: Known(0.3, NOW - hours * HOUR, error, "measured") for name, error in GOOD.items()} | changes


def upkeep(qubits: Mapping[str, Memory], *, memory: bool = True) -> Upkeep:
    def met(name: str, need: Need) -> Any:
        known = qubits.get(name, {})
        return journal.met({each: known.get(each, Known(0.3)) for each in need.settings}, name, need, NOW)

    return Upkeep(graph_of(experiments()), met, memory)


def made(*steps: Any, known: Mapping[str, Memory] | None = None, remembers: bool = True, **fields: Any) -> Completed:
    return prepared(plan(*steps, **fields), lab(), upkeep(known or {}, memory=remembers))


def order(done: Completed) -> list[str]:
    """The plan's own steps by experiment, inserted ones by procedure and qubits."""
    assert done.problems == []
    return [" ".join([each.experiment or each.procedure, *each.qubits]) for each in done.plan.steps
            if isinstance(each, Step)]  # fmt: skip


def inserted(*steps: Any, known: Mapping[str, Memory] | None = None, **fields: Any) -> list[str]:
    return order(made(*steps, known=known, insert="prerequisites", **fields))


def test_what_is_unmet_comes_before_what_needs_it_each_behind_its_own_needs() -> None:
    assert inserted("t1 Q1; single_qubit_rb Q1", known={"Q1": {"readout_angle": Known(0.3)}}) == [
        "calibrate-readout Q1", "t1 Q1",
        "calibrate-frequency Q1", "calibrate-amplitude Q1", "calibrate-drag Q1", "single_qubit_rb Q1",
    ]  # fmt: skip


def test_where_everything_is_met_nothing_is_put_in() -> None:
    assert inserted("single_qubit_rb Q1", known={"Q1": memory()}) == ["single_qubit_rb Q1"]
    assert made("single_qubit_rb Q1", known={"Q1": memory()}).assumptions == []


def test_what_is_stale_by_age_is_measured_anew_and_nothing_else() -> None:
    known = {"Q1": memory(3.0)}  # the frequency and the amplitudes are trusted for an hour, DRAG and readout for twelve
    assert inserted("single_qubit_rb Q1", known=known)[:-1] == ["calibrate-frequency Q1", "calibrate-amplitude Q1"]
    assert inserted("spin_echo Q1", known=known) == ["spin_echo Q1"]  # a rough value does not grow old


@pytest.mark.parametrize(("error", "needed"), [(0.06, True), (0.04, False)])
def test_what_is_not_known_well_enough_is_measured_anew(error: float, needed: bool) -> None:
    known = {"Q1": memory(frequency=Known(4888.0, NOW, error, "qubit_spectroscopy"))}
    steps = inserted("drag_calibration Q1", known=known)
    assert steps == (["calibrate-frequency Q1"] if needed else []) + ["drag_calibration Q1"]


def test_the_error_of_an_amplitude_is_relative() -> None:
    for value, needed in ((0.1, True), (0.4, False)):
        off = Known(value, NOW, 0.0005, "rabi")
        steps = inserted("single_qubit_rb Q1", known={"Q1": memory(amplitude_pi=off)})
        assert (steps[0] == "calibrate-amplitude Q1") == needed


def test_what_an_earlier_step_writes_is_not_measured_twice() -> None:
    known = {"Q1": memory(3.0)}
    assert inserted("ramsey Q1", "single_qubit_rb Q1", known=known) == [
        "ramsey Q1", "calibrate-amplitude Q1", "single_qubit_rb Q1",
    ]  # fmt: skip
    assert inserted("ramsey Q1, writes = none", "single_qubit_rb Q1", known=known)[1] == "calibrate-frequency Q1"
    assert inserted("calibrate single qubit Q1; single_qubit_rb Q1", known=known)[-1] == "single_qubit_rb Q1"
    assert len(inserted("calibrate single qubit Q1; single_qubit_rb Q1", known=known)) == 2


def test_what_was_once_found_and_is_lost_takes_the_whole_bring_up() -> None:
    lost = memory(frequency=Known(4888.0, NOW, 3.0, "frequency", "out_of_spec"))
    assert inserted("rabi Q1; t1 Q1", known={"Q1": lost}) == ["bring-up Q1", "rabi Q1", "t1 Q1"]


def test_pairs_get_what_their_gate_needs() -> None:
    steps = inserted("two_qubit_rb Q1, Q2", known={"Q1": memory(), "Q2": memory(3.0)})
    assert steps == [
        "calibrate-frequency Q2", "calibrate-amplitude Q2", "calibrate-stark Q1 Q2", "calibrate-cz Q1 Q2",
        "two_qubit_rb Q1 Q2",
    ]  # fmt: skip


def test_placeholders_stand_in_what_is_put_in() -> None:
    known = {"Q1": memory(), "Q2": memory(3.0)}
    assert inserted("single_qubit_rb", for_=["Q1", "Q2"], known=known) == [
        "calibrate-frequency dut", "calibrate-amplitude dut", "single_qubit_rb dut",
    ]  # fmt: skip
    steps = inserted("residual_zz", for_=["Q1-Q2"], known=known)
    assert steps == ["calibrate-frequency partner", "calibrate-amplitude partner", "residual_zz qubit partner"]


def test_own_steps_keep_their_labels_and_a_second_look_finds_the_same() -> None:
    back = {"experiment": "single_qubit_rb", "qubits": ["Q1"], "on": [{"if": "failed", "go": "Stage 1"}]}
    known = {"Q1": memory(3.0)}
    first = made("t1 Q1", back, insert="prerequisites", known=known)
    assert [each.label for each in first.plan.steps if isinstance(each, Step)] == [
        "Stage 1", "Prerequisite 1", "Prerequisite 2", "Stage 2",
    ]  # fmt: skip
    again = prepared(first.plan.plain(), lab(), upkeep(known))
    assert again.plan == first.plan
    fresh = prepared(first.plan.plain(), lab(), upkeep({"Q1": memory()}))  # run again, when nothing is stale
    assert order(fresh) == ["t1 Q1", "single_qubit_rb Q1"]
    assert complete(first.plan.plain(), lab()).plan == first.plan  # a lane takes them as they are


def test_the_read_back_says_what_was_put_in_and_why() -> None:
    done = made("single_qubit_rb Q1", insert="prerequisites", known={"Q1": memory(3.0)})
    text = read_back(done.plan, catalogue(), lambda call: 10.0)
    assert '1. `"calibrate frequency" Q1`; if failed, end as failed; inserted: frequency of Q1 was last' in text
    assert "single_qubit_rb needs frequency (within 1 h, to 0.01 MHz)." in text
    assert "Writes: amplitude_pi, amplitude_pi2, frequency." in text
    assert {"ramsey", "rabi", "amplitude_pingpong"} <= {each.experiment for each in calls_of(done.plan, catalogue())}


def test_without_insertion_spoilt_data_are_refused_where_they_would_be_written() -> None:
    off = {"Q1": memory(frequency=Known(4888.0, NOW, 0.3, "frequency", "out_of_spec"))}
    done = made("t1 Q1", "drag_calibration Q1", known=off)
    (problem,) = done.problems
    assert problem.path == ("steps", 1)
    assert "frequency of Q1 was found off by its last check (0.3)" in problem.message
    assert "insert: prerequisites" in problem.fix
    assert made("ramsey Q1; drag_calibration Q1", known=off).problems == []  # an earlier step mends it
    told = made("single_qubit_rb Q1", known=off)  # how bad the gates are may be asked
    assert told.problems == []
    assert "drag_calibration" not in told.assumptions[0]
    assert told.assumptions[0].startswith("frequency of Q1 was found off")


def test_without_insertion_what_is_old_is_told_and_what_is_given_is_trusted() -> None:
    assert made("drag_calibration Q1", remembers=False).assumptions == []  # a device on which nothing was measured yet
    assert made("drag_calibration Q1", known={"Q1": memory(2.0)}).assumptions == [
        "frequency of Q1 was last measured 2.0 h ago; needed by drag_calibration (within 1 h, to 0.05 MHz);"
        " put ramsey Q1 in front to measure it.",
        "amplitude_pi and amplitude_pi2 of Q1 were last measured 2.0 h ago; needed by drag_calibration"
        " (within 1 h, to 5 %); put amplitude_pingpong Q1 in front to measure both.",
    ]
    half = {"Q1": memory(amplitude_pi=Known(0.3))}
    assert (
        made("drag_calibration Q1", known=half).assumptions[0].startswith("amplitude_pi of Q1 was never measured here")
    )


def test_what_several_steps_lack_is_told_once() -> None:
    known = {"Q2": memory(readout_angle=Known(0.3), readout_threshold=Known(0.3))}
    steps = ("amplitude_pingpong Q2", "cpmg Q2, pulses = 8", "t1 Q2")
    assert made(*steps, known=known).assumptions == [
        "readout_angle and readout_threshold of Q2 were never measured here; needed by amplitude_pingpong, cpmg and t1"
        " (within 12 h); put readout_calibration Q2 in front to measure both."
    ]
    old = {"Q1": memory(2.0)}
    (told,) = (each for each in made("drag_calibration Q1; single_qubit_rb Q1", known=old).assumptions if "amp" in each)
    assert "by drag_calibration (within 1 h, to 5 %) and single_qubit_rb (within 1 h, to 0.25 %); put" in told


def test_a_plan_that_is_wrong_is_told_so_before_anything_is_put_in() -> None:
    done = made("t1 Q9", insert="prerequisites")
    assert done.problems
    assert len(done.plan.steps) == 1
