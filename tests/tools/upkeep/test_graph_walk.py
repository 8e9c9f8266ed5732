"""maintain, check_state and diagnose on graphs whose truth the test holds."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from labwright.tools.upkeep.calibration_graph import HOUR, ONE_QUBIT, WHOLE, Node, in_order
from labwright.tools.upkeep.graph_walk import Found, Knowledge, Outcome, Step, maintain, next_step

ALL = list(ONE_QUBIT)


def knowledge(hours_ago: float = 0.0, clock: float = 100 * HOUR) -> Knowledge:
    return Knowledge(dict.fromkeys(ALL, clock - hours_ago * HOUR), dict.fromkeys(ALL, clock - hours_ago * HOUR))


def walked(known: Knowledge, wrong: Mapping[str, str], clock: float = 100 * HOUR) -> list[tuple[str, str]]:
    """The steps of a walk on a qubit where the nodes in `wrong` are off: ``out_of_spec``, or ``dead`` if it stays so.

    What lies above a node that is off shows bad data.
    """
    off, now = dict(wrong), [clock]
    steps: list[tuple[str, str]] = []
    walk = maintain(ONE_QUBIT, known, lambda: now[0])
    try:
        step = next(walk)
        while True:
            steps.append((step.act, step.node))
            now[0] += 10.0
            step = walk.send(Outcome(_found(step, off), now[0]))
    except StopIteration:
        return steps


def _found(step: Step, off: dict[str, str]) -> Found:
    if step.act == "calibrate":
        if off.get(step.node) == "dead":
            return "failed"
        off.pop(step.node, None)
        return "calibrated"
    if _below(step.node) & set(off):
        return "bad_data"  # what lies below spoils the data, whether the node itself is off or not
    return "out_of_spec" if step.node in off else "in_spec"


def _below(name: str) -> set[str]:
    direct = set(ONE_QUBIT[name].depends_on)
    return direct.union(*(_below(each) for each in direct)) if direct else set()


def test_the_order_is_that_of_dependence_and_a_circle_is_refused() -> None:
    assert in_order(ONE_QUBIT) == ["readout", "frequency", "amplitude", "drag", "gates"]
    looped = {"a": Node("a", ("b",), 1.0, (), ()), "b": Node("b", ("a",), 1.0, (), ())}
    with pytest.raises(ValueError, match="circle"):
        in_order(looped)


def test_what_is_fresh_is_trusted_without_a_look() -> None:
    assert walked(knowledge(0.5), {}) == []


def test_without_drift_nothing_but_data_is_looked_at() -> None:
    assert walked(knowledge(24.0), {}) == [("check", name) for name in in_order(ONE_QUBIT)]


def test_only_what_has_timed_out_is_looked_at() -> None:
    assert walked(knowledge(2.0), {}) == [("check", "frequency"), ("check", "amplitude")]


def test_what_is_off_is_calibrated_and_what_depends_on_it_is_looked_at_again() -> None:
    steps = walked(knowledge(2.0), {"frequency": "out_of_spec"})
    assert steps == [
        ("check", "frequency"),
        ("calibrate", "frequency"),
        ("check", "amplitude"),
        ("check", "drag"),
        ("check", "gates"),
    ]


def test_diagnosis_goes_down_from_bad_data_to_the_cause() -> None:
    """The frequency jumped a minute ago and is trusted; only the gates are due."""
    known = knowledge(0.1)
    known.seen["gates"] -= 5 * HOUR
    steps = walked(known, {"frequency": "out_of_spec"})
    assert steps[:3] == [("check", "gates"), ("check", "frequency"), ("calibrate", "frequency")]
    assert [step for step in steps if step[0] == "calibrate"] == [("calibrate", "frequency")]
    assert steps[-1] == ("check", "gates")  # looked at again instead of benchmarked anew


def test_a_node_with_bad_data_lets_its_dependencies_be_looked_at_first() -> None:
    known = knowledge(0.1)
    known.seen["amplitude"] -= 3 * HOUR
    steps = walked(known, {"readout": "out_of_spec"})
    assert steps[:4] == [
        ("check", "amplitude"),
        ("check", "readout"),
        ("calibrate", "readout"),
        ("check", "frequency"),
    ]
    assert [step for step in steps if step[0] == "calibrate"] == [("calibrate", "readout")]


def test_what_was_never_calibrated_is_done_as_a_whole() -> None:
    assert walked(Knowledge({}, {}), {}) == [("calibrate", WHOLE.name)]
    half = knowledge(0.1)
    del half.seen["drag"]
    assert walked(half, {}) == [("calibrate", WHOLE.name)]


def test_a_benchmark_that_was_never_made_is_made_alone() -> None:
    known = knowledge(0.1)
    del known.seen["gates"]
    assert walked(known, {}) == [("calibrate", "gates")]


def test_what_cannot_be_calibrated_by_itself_is_done_as_a_whole() -> None:
    steps = walked(knowledge(2.0), {"amplitude": "dead"})
    assert steps[-2:] == [("calibrate", "amplitude"), ("calibrate", WHOLE.name)]


@given(st.sets(st.sampled_from(["readout", "frequency", "amplitude", "drag"])), st.floats(0, 48))
def test_whatever_is_wrong_and_due_is_right_at_the_end_and_nothing_right_is_calibrated(
    wrong: set[str], hours: float
) -> None:
    steps = walked(knowledge(hours), dict.fromkeys(wrong, "out_of_spec"))
    calibrated = [node for act, node in steps if act == "calibrate"]
    assert set(calibrated) <= wrong
    assert len(calibrated) == len(set(calibrated))
    if hours > 12:
        assert wrong <= set(calibrated)
    if not wrong:
        assert calibrated == []


def test_a_walk_is_taken_up_where_it_was() -> None:
    known = knowledge(24.0)
    begun, outcomes = 100 * HOUR, list[Outcome]()
    for number, name in enumerate(in_order(ONE_QUBIT)):
        step, steps = next_step(ONE_QUBIT, known, begun, outcomes)
        assert step == Step("check", name, step.why if step else "")
        assert len(steps) == number + 1
        outcomes.append(Outcome("in_spec", begun + 10.0 * number))
    assert next_step(ONE_QUBIT, known, begun, outcomes)[0] is None
    assert known.seen["readout"] == 76 * HOUR  # what was known before is not changed
