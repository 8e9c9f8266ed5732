"""``PATH = VALUE``: one field is changed, and nothing else."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from plan_labs import completed, plan, t1

from labwright.tools.specifications.base import SpecificationError
from labwright.tools.specifications.patches import MOST, patched, put, read_patches

DATA = plan(t1(parameters={"stop": "300 us"}), {"experiment": "ramsey", "qubits": ["Q1"]}, title="Weekly")


def after(text: str, data: dict[str, Any] | None = None) -> dict[str, Any]:
    patches = read_patches(text)
    assert patches is not None
    return patched(data or DATA, patches)


@pytest.mark.parametrize(
    ("text", "path", "value"),
    [
        ("stop = 200 us", ("steps", 0, "parameters", "stop"), "200 us"),
        ("steps.0.stop = 200 us", ("steps", 0, "parameters", "stop"), "200 us"),
        ("steps.1.offset = 3 MHz", ("steps", 1, "parameters", "offset"), "3 MHz"),
        ("steps.1.parameters.offset = 3 MHz", ("steps", 1, "parameters", "offset"), "3 MHz"),
        ("steps.1.repeats = 3", ("steps", 1, "repeats"), 3),
        ("steps.1.qubits = [Q1, Q2]", ("steps", 1, "qubits"), ["Q1", "Q2"]),
        ("steps.0.qubits.0 = Q2", ("steps", 0, "qubits", 0), "Q2"),
        ("title = Monthly, again", ("title",), "Monthly, again"),
        ("for = all", ("for",), "all"),
        ("steps.2 = t1 Q2", ("steps", 2), "t1 Q2"),
        ("steps[1].repeats = 3", ("steps", 1, "repeats"), 3),
        ("approval = before writing settings", ("approval",), "before writing settings"),
    ],
)
def test_a_path_may_leave_out_what_is_clear(text: str, path: tuple[Any, ...], value: Any) -> None:
    found: Any = after(text)
    for part in path:
        found = found[part]
    assert found == value
    assert DATA["steps"][0]["parameters"] == {"stop": "300 us"}


def test_a_short_path_never_means_what_only_labwright_writes() -> None:
    whole = completed(t1(parameters={"stop": "300 us"})).plan.plain()
    assert "stop" in whole["defaults"]["t1"]
    found = after("stop = 200 us", whole)
    assert found["steps"][0]["parameters"]["stop"] == "200 us"
    assert found["defaults"] == whole["defaults"]
    assert after("defaults.t1.stop = 100 us", whole)["defaults"]["t1"]["stop"] == "100 us"


def test_null_removes() -> None:
    assert "title" not in after("title = null")
    assert len(after("steps.1 =")["steps"]) == 1


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("stopp = 3", "There is no field stopp. Fields are: system, steps"),
        ("steps.9.stop = 3", "There is no field steps.9.stop"),
        ("qubits = [Q1]", "qubits stands in several places. Write one of: steps.0.qubits, steps.1.qubits."),
        ("title.a.b = 3", "There is no field title.a.b"),
    ],
)
def test_a_path_that_leads_nowhere_or_to_several_places(text: str, why: str) -> None:
    with pytest.raises(SpecificationError, match=why.replace(".", r"\.")):
        after(text)


@pytest.mark.parametrize(
    "text",
    ["", "hello", "t1 Q1, stop = 300 us", "a == b", "= 3", "stop = 3\nand then", "a..b = 3", "a = 1\n" * (MOST + 1)],
)
def test_what_is_no_patch(text: str) -> None:
    assert read_patches(text) is None


def test_a_name_with_a_hyphen_is_a_part_of_a_path() -> None:
    own = {**DATA, "procedures": {"bring-up": {"title": "Mine"}}}
    assert after("procedures.bring-up.title = Weekly", own)["procedures"] == {"bring-up": {"title": "Weekly"}}


def test_a_place_of_another_kind_is_an_error_and_no_crash() -> None:
    with pytest.raises(SpecificationError, match=r"no field steps\.0\.stop"):
        patched(plan(t1(parameters=["stop"])), [(("steps", 0, "stop"), 3)])
    with pytest.raises(SpecificationError, match=r"no field steps\.0\.qubits"):
        put(plan("t1"), ("steps", 0, "qubits"), ["Q1"])


def test_strange_values_stay_text() -> None:
    for value in ("!!python/object:os.system x", "*a", "a: b: c", "[" * 500, "²"):
        assert read_patches(f"title = {value}") == [(("title",), value)]
    assert read_patches("steps.².stop = 3") == [(("steps", "²", "stop"), 3)]


@given(
    st.sampled_from(["stop", "steps.0.points", "steps.1.offset", "title", "steps.2"]),
    st.integers(0, 9) | st.text("abc "),
)
def test_a_patch_applied_twice_is_the_patch_applied_once(path: str, value: Any) -> None:
    once = after(f"{path} = {value!r}")
    assert after(f"{path} = {value!r}", once) == once


def test_what_a_person_answers_is_put_where_it_is_missing() -> None:
    done = completed("t1", "conditional_stark_continuous Q1, Q2, frequency = 5 GHz")
    data = done.plan.plain()
    for problem, value in zip(done.problems, (["Q1"], 0.3), strict=True):
        assert problem.missing
        data = put(data, problem.path, value)
    assert data["steps"][0]["qubits"] == ["Q1"]
    assert data["steps"][1]["parameters"]["amplitude"] == 0.3
    with pytest.raises(SpecificationError, match=r"There is no field steps\.9. steps has: 0, 1."):
        put(data, ("steps", 9, "stop"), 3)
