"""The short form: what it reads, and that it reads all of a text or nothing."""

from __future__ import annotations

import contextlib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from plan_labs import catalogue

from labwright.tools.specifications.calibration import Step
from labwright.tools.specifications.plan_completion import line_of_step
from labwright.tools.specifications.short_form_parser import NotRead, read


def steps(text: str) -> list[dict[str, Any]]:
    return read(text, catalogue()).steps


def tasks(text: str) -> list[tuple[str, list[str]]]:
    return [(step.get("experiment") or step["procedure"], step["qubits"]) for step in steps(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("t1 Q1", [("t1", ["Q1"])]),
        ("0/1/2 discrimination Q1", [("three_level_readout", ["Q1"])]),
        ("Please measure the T1 time of qubit Q1.", [("t1", ["Q1"])]),
        ("Measure T1 of Q1 and Q2", [("t1", ["Q1"]), ("t1", ["Q2"])]),
        ("t1 Q1 & Q2", [("t1", ["Q1"]), ("t1", ["Q2"])]),
        (
            "Calibrate qubit Q1 and benchmark it",
            [("calibrate-single-qubit", ["Q1"]), ("benchmark-single-qubit", ["Q1"])],
        ),
        ("Measure T1 and ramsey of Q1", [("t1", ["Q1"]), ("ramsey", ["Q1"])]),
        ("t1 Q1; then rabi\n- ramsey Q2", [("t1", ["Q1"]), ("rabi", ["Q1"]), ("ramsey", ["Q2"])]),
        ("two_qubit_rb Q1-Q2 and Q3-Q4", [("two_qubit_rb", ["Q1", "Q2"]), ("two_qubit_rb", ["Q3", "Q4"])]),
        ("two-qubit RB Q1, Q2", [("two_qubit_rb", ["Q1", "Q2"])]),
        ("state_tomography Q1, Q2, Q3", [("state_tomography", ["Q1", "Q2", "Q3"])]),
        ("spin_echo 'dut'", [("spin_echo", ["dut"])]),
        ("t1(qubit='Q3', stop=3)", [("t1", ["Q3"])]),
        ("state_tomography(qubits='Q1,Q2')", [("state_tomography", ["Q1", "Q2"])]),
        ("t1", [("t1", [])]),
    ],
)
def test_orders(text: str, expected: list[tuple[str, list[str]]]) -> None:
    assert tasks(text) == expected


def test_values_stand_as_they_were_written() -> None:
    text = "ramsey Q1, offset = 1 MHz + 2 kHz, Stop = .5us, shots = 2000, update = no and repeats = 2"
    (step,) = steps(text)
    assert step["parameters"] == {"offset": "1 MHz + 2 kHz", "stop": ".5us", "shots": 2000, "update": "no"}
    assert step["repeats"] == 2


def test_limits_and_rules_belong_to_the_order_before() -> None:
    first, second = steps(
        "t1 Q1; ramsey Q1. Repeat at most 3 times. If exhausted, go to FAILED. If success, go stage 1"
    )
    assert "on" not in first
    assert second["repeats"] == 3
    assert second["on"] == [{"if": "exhausted", "go": "FAILED"}, {"if": "success", "go": "Stage 1"}]
    assert [steps(f"t1 Q1. Repeat {word}")[0]["repeats"] for word in ("once", "twice", "0 times")] == [1, 2, 0]


def test_the_whole_chip_and_upkeep() -> None:
    assert read("Measure T1 of all qubits", catalogue()).plan()["for"] == "all"
    chip = read("Bring up the chip and the couplers Q1-Q2, Q3-Q4", catalogue()).plan()
    assert (chip["for"], chip["couplers"]) == ("all", ["Q1-Q2", "Q3-Q4"])
    assert read("Bring up the chip and the couplers", catalogue()).plan()["couplers"] == ["all"]
    assert read("Maintain Q1 and Q2", catalogue()).plan() == {
        "system": "lab_calibration",
        "mode": "maintain",
        "for": ["Q1", "Q2"],
    }


@pytest.mark.parametrize(
    "text",
    [
        "",
        " \n ",
        ".",
        "hello",
        "t1 Q1 please do",
        "t1 Q1, stop = 300 US",
        "t1 Q1 stop = 3 us",
        "t1 Q1\x00",
        "\ufefft1 Q1",
        "t1 Q١",
        "t1 Q1, stop = ٣ us",
        "ſpin echo Q1",
        "spin\u00a0echo Q1",
        "t1(Q1)",
        "1. t1 Q1",
        "Do not measure T1 of Q1",
        "t1 Q1 unless it is broken",
    ],
)
def test_anything_else_is_not_read(text: str) -> None:
    with pytest.raises(NotRead, match=r"Not read from here on|ends too early"):
        read(text, catalogue())


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("t1 Q1, stop = 3 us, stop = 5 us", "`stop` comes twice"),
        ("t1(qubit='Q1', qubit='Q2')", "`qubit` comes twice"),
        ("t1 Q1. Repeat at most 3 times. Repeat at most 5 times", "two limits of repetition"),
        ("t1 Q1. Repeat at most 2.5 times", "2.5 is not a number of repetitions"),
        ("t1 Q1. Repeat 1e999 times", "1e999 is not a number of repetitions"),
        ("t1 Q1-Q4", "not for a pair such as Q1-Q4. Name the qubits"),
        ("state_tomography Q1-Q4", "not for a pair"),
        ("state_tomography all qubits", "takes its qubits together. Name them"),
        ("t1 Q1, Q2. If failed, go to Stage 2", "`Stage N` is not clear"),
        ("t1('Q1')", "Name every argument"),
        ("t1 Q1; maintain Q1", "cannot stand in one text"),
        ("Repeat at most 3 times. t1 Q1", "needs an order before it"),
        ("If failed, go to next", "needs an order before it"),
        ("t1 Q1" * 1000, "has 5000 characters; the short form takes 4000"),
    ],
)
def test_what_could_mean_two_things_is_not_read_and_says_why(text: str, why: str) -> None:
    with pytest.raises(NotRead, match=why):
        read(text, catalogue())


def test_where_the_reading_stopped() -> None:
    with pytest.raises(NotRead) as stopped:
        read("t1 Q1, stop = 300 us and a coffee", catalogue())
    assert "t1 Q1, stop = 300 us and a coffee"[stopped.value.position :] == "coffee"


@given(st.text(max_size=60))
def test_no_text_crashes_it(text: str) -> None:
    with contextlib.suppress(NotRead):
        read(text, catalogue())


SINGLE = sorted(name for name, card in catalogue().cards.items() if "qubit" in [p.name for p in card.parameters])


@given(st.data())
def test_a_rendered_step_reads_back_to_an_equal_step(data: st.DataObject) -> None:
    name = data.draw(st.sampled_from(["t1", "ramsey", "rabi", "drag_calibration"]))
    keys = [each.name for each in catalogue().cards[name].parameters if each.type in ("int", "float")]
    value = st.one_of(
        st.integers(0, 10**6),
        st.tuples(st.floats(-1e6, 1e6), st.sampled_from(["us", "ns", "MHz", "%"])).map(
            lambda pair: f"{pair[0]!r} {pair[1]}"
        ),
        st.sampled_from(["2 * t1.t1", "half of t1", "Q1.frequency + 80 MHz", "1 us / (3 - 2)"]),
    )
    parameters = data.draw(st.dictionaries(st.sampled_from(keys), value, max_size=3))
    step = Step(experiment=name, qubits=[data.draw(st.sampled_from(["Q1", "Q12"]))], parameters=parameters)
    (found,) = steps(line_of_step(step))
    assert Step.model_validate(found) == step
