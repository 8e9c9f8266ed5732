"""YAML and front matter: plain values, lines, and mistakes with their place."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from labwright.tools.specifications.base import SpecificationError
from labwright.tools.specifications.calibration import CalibrationPlan
from labwright.tools.specifications.yaml_files import (
    LONGEST,
    is_document,
    plain_value,
    read_document,
    split_front_matter,
    to_yaml,
    validated,
)

PLAN = """# weekly
system: lab_calibration
title: Weekly
steps:
  - t1 Q1
  - experiment: ramsey
    qubits: [Q1]
    parameters:
      stop: 0.5 us
"""


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("on", "on"),
        ("yes", "yes"),
        ("No", "No"),
        ("true", True),
        ("False", False),
        ("null", None),
        ("~", None),
        ("1e-3", 1e-3),
        ("1.", 1.0),
        (".5", 0.5),
        ("-3", -3),
        ("0x1F", "0x1F"),
        ("1_000", "1_000"),
        ("12:30", "12:30"),
        ("2020-01-01", "2020-01-01"),
        (".inf", ".inf"),
        ("0.5 us", "0.5 us"),
        ("'3'", "3"),
        ("=", "="),
    ],
)
def test_scalars_are_those_of_yaml_1_2(text: str, value: Any) -> None:
    found = read_document(f"a: {text}").data["a"]
    assert found == value
    assert type(found) is type(value)


def test_names_of_fields_are_text() -> None:
    assert list(read_document("1: a\ntrue: b\nnull: c\non: d").data) == ["1", "true", "null", "on"]


def test_every_field_knows_its_line() -> None:
    lines = read_document(PLAN).lines
    assert lines[("system",)] == 2
    assert lines[("steps", 0)] == 5
    assert lines[("steps", 1, "parameters", "stop")] == 9


def test_front_matter_counts_its_fence_and_keeps_the_prose() -> None:
    document = read_document(f"---\n{PLAN}---\n# Why\nBecause.\n")
    assert document.lines[("system",)] == 3
    assert document.prose == "# Why\nBecause.\n"
    assert document.data["title"] == "Weekly"
    assert split_front_matter("no fence") == ("no fence", "")
    assert split_front_matter("---\nnever: closed") == ("---\nnever: closed", "")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (PLAN, True),
        (f"---\n{PLAN}---\n", True),
        ("spec: 1", True),
        ("t1 Q1", False),
        ("# Title\n## Steps\n- t1 Q1", False),
        ("", False),
    ],
)
def test_what_is_a_written_document(text: str, expected: bool) -> None:
    assert is_document(text) is expected


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("a: &x [1]\nb: *x", "line 1, column 4: not YAML: anchors and aliases are not read"),
        ("a: 1\na: 2", "line 2, column 1: not YAML: 'a' comes twice"),
        ("a:\n  b: 1\n  b: 2", "line 3, column 3"),
        ("a: [1", "not YAML"),
        ("a: b: c", "quote a text that has ': ' in it"),
        ("a: !!int x", "tags such as !!int are not read"),
        ("a: !!python/object:os.system x", "tags such as"),
        ("a: !!timestamp 2020-01-01", "tags such as"),
        ("a: 1\n---\nb: 2", "not YAML"),
        ("- a", "not a mapping of fields. Begin with `system: ...`"),
        ("just words", "not a mapping"),
        ("? [a]\n: b", "a field's name must be text"),
        ("a: " + "9" * 5000, "the number is too long"),
        ("a: " + "[" * 3000, "more than 30 levels"),
        ("a: " + "{b: " * 3000, "more than 30 levels"),
        ("a: \x00", "not YAML"),
        ("a: " + "b" * LONGEST, f"at most {LONGEST} are read. Split it"),
    ],
)
def test_what_is_refused_says_where_and_why(text: str, why: str) -> None:
    with pytest.raises(SpecificationError, match=why.replace("(", r"\(")) as wrong:
        read_document(text, "my.yaml")
    assert str(wrong.value).startswith("my.yaml")


def test_the_line_of_a_mistake_behind_a_fence() -> None:
    with pytest.raises(SpecificationError, match="line 3, column 1: not YAML: 'a' comes twice"):
        read_document("---\na: 1\na: 2\n---\nprose")


PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=30),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=9), inner, max_size=3),
    max_leaves=8,
)


@given(st.dictionaries(st.text(min_size=1, max_size=12), PLAIN, max_size=4))
def test_what_is_written_reads_back_equal(data: dict[str, Any]) -> None:
    assert read_document(to_yaml(data)).data == data


def test_one_list_in_two_places_is_written_twice() -> None:
    qubits = ["Q1"]
    text = to_yaml({"steps": [{"qubits": qubits}, {"qubits": qubits}]})
    assert read_document(text).data["steps"] == [{"qubits": ["Q1"]}, {"qubits": ["Q1"]}]


@pytest.mark.parametrize(
    ("text", "value"), [("300", 300), ("[Q1, Q2]", ["Q1", "Q2"]), ("300 us", "300 us"), ("", None)]
)
def test_a_plain_value(text: str, value: Any) -> None:
    assert plain_value(text) == value
    assert plain_value("a: b: c") == "a: b: c"
    assert plain_value("!!int x") == "!!int x"
    assert plain_value("[" * 2000) == "[" * 2000


STEP = {"experiment": "t1", "qubits": ["Q1"]}


@pytest.mark.parametrize(
    ("steps", "path", "why"),
    [
        ([{**STEP, "repeats": 99}], "steps.0.repeats", "It is 99. It should be less than or equal to 50."),
        ([{**STEP, "qubits": "Q1"}], "steps.0.qubits", "It is 'Q1'. Write a list."),
        ([{**STEP, "parameters": {"stop": [1]}}], "steps.0.parameters.stop", "It is [1]. Write yes or no or"),
        ([{**STEP, "parameters": {"stop": {"of": 1}}}], "steps.0.parameters.stop", "has the form {from: t1.t1"),
        ([{"experimnt": "t1"}], "steps.0.experimnt", "There is no such field. Did you mean 'experiment'?"),
        ([{**STEP, "on": [{"iff": "failed"}]}], "steps.0.on.0.iff", "Did you mean 'if'?"),
        ([{**STEP, "on": [{"if": "failed"}]}], "steps.0.on.0", "A transition with `if` needs `go`."),
        ([{}], "steps.0", "either an `experiment` or a `procedure`"),
        (["t1 Q1", 5], "steps.1", "It is 5. Write text or fields."),
        ([None], "steps.0", "It is None."),
        ("t1 Q1", "steps", "It is 't1 Q1'. Write a list."),
        (["t1 Q1"] * 201, "steps", "at most 200 items, not 201."),
        ([], "", "The plan has no steps. Write at least one, such as: - t1 Q1"),
    ],
)
def test_a_wrong_form_gives_one_problem_at_its_path(steps: Any, path: str, why: str) -> None:
    with pytest.raises(SpecificationError) as wrong:
        validated(CalibrationPlan, {"steps": steps})
    (problem,) = wrong.value.problems
    assert problem.field == path
    assert why in problem.sentence()


def test_fields_that_are_missing_or_unknown() -> None:
    with pytest.raises(SpecificationError) as wrong:
        validated(CalibrationPlan, {"forr": "Q1", "steps": ["t1 Q1"], "procedures": {"a": {"steps": []}}}, "p.yaml")
    assert str(wrong.value).splitlines() == [
        "p.yaml: procedures.a.title: It is missing. Add it.",
        "p.yaml: forr: There is no such field. Did you mean 'for'?",
    ]
