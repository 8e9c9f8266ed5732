"""The plan's own form: bounded sizes, secrets by name, versions and migrations."""

from __future__ import annotations

from typing import Any

import pytest
from plan_labs import plan, t1

from labwright.tools.specifications import base
from labwright.tools.specifications.base import Problem, SpecificationError, line_of, migrated
from labwright.tools.specifications.calibration import CalibrationPlan
from labwright.tools.specifications.yaml_files import validated


def wrong(data: dict[str, Any]) -> str:
    with pytest.raises(SpecificationError) as error:
        validated(CalibrationPlan, data)
    return str(error.value)


def device(**options: Any) -> dict[str, Any]:
    return plan("t1 Q1", device={"factory": "my.lab:device", "options": options})


@pytest.mark.parametrize("name", ["api_key", "PASSWORD", "access_token", "client_secret"])
def test_secrets_are_only_named_and_never_repeated(name: str) -> None:
    for secret in ("hunter2", "env:", "env:hunter 2"):
        said = wrong(device(**{name: secret}))
        assert "looks like a secret; write the name of a variable, as in env:NAME" in said
        assert "hunter" not in said
    found = validated(CalibrationPlan, device(**{name: "env:LAB_KEY"}))
    assert found.device is not None
    assert found.device.options == {name: "env:LAB_KEY"}


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (plan(*["t1 Q1"] * 201), "steps: It is"),
        (plan("t1 Q1", title="a" * 201), "title: It is"),
        (plan("t1 Q1", results="a" * 4001), "results: It is"),
        (plan(t1(qubits=["Q1"] * 65)), "steps.0.qubits: It is"),
        (plan(t1(qubits=["Q" * 61])), "steps.0.qubits.0: It is"),
        (plan(t1(on=[{"if": "failed", "go": "next"}] * 21)), "steps.0.on: It is"),
        (plan(t1(on=[{"if": "a" * 301, "go": "next"}])), "steps.0.on.0.if: It is"),
        (plan(t1(parameters={"stop": "a" * 201})), "steps.0.parameters.stop: It is"),
        (plan(t1(repeats=51)), "steps.0.repeats: It is 51."),
        (plan("t1 Q1", seed=2**63), "seed: It is"),
        (plan("t1 Q1", couplers=["Q1-Q2"] * 201), "couplers: It is"),
        (device(**{f"o{number}": 1 for number in range(65)}), "device.options: It is"),
    ],
)
def test_sizes_are_bounded(data: dict[str, Any], why: str) -> None:
    said = wrong(data)
    assert said.startswith(why)
    assert len(said) < 300


def test_what_is_left_at_its_default_is_not_written() -> None:
    data = plan(t1(), title="Weekly")
    assert validated(CalibrationPlan, data).plain() == {"spec": 1, **data}
    assert validated(CalibrationPlan, plan("t1 Q1", for_="Q1, Q2")).for_ == ["Q1", "Q2"]


@pytest.mark.parametrize("version", [2, 0, "1", 1.5, None])
def test_unknown_versions_are_refused(version: Any) -> None:
    with pytest.raises(
        SpecificationError, match=r"spec: Version .* is not known; this one is 1\. (Upgrade|Write spec: 1)"
    ):
        migrated({"spec": version})


def test_an_older_version_is_migrated_step_by_step(monkeypatch: pytest.MonkeyPatch) -> None:
    steps = {
        ("x", -1): lambda data: {**data, "spec": 0, "a": 1},
        ("x", 0): lambda data: {**data, "spec": 1, "b": data["a"]},
    }
    monkeypatch.setattr(base, "MIGRATIONS", steps)
    assert migrated({"system": "x", "spec": -1}) == {"system": "x", "spec": 1, "a": 1, "b": 1}


def test_a_problem_names_field_cause_and_fix_with_its_line() -> None:
    problem = Problem(("steps", 0, "stop"), "It is 9.", "Write 3.")
    assert problem.sentence() == "steps.0.stop: It is 9. Write 3."
    lines = {(): 1, ("steps",): 2, ("steps", 0): 3}
    assert line_of(problem.path, lines) == 3
    assert line_of(("title",), {}) == 0
    error = SpecificationError([problem, Problem((), "Empty.")], "a.yaml", lines)
    assert str(error).splitlines() == ["a.yaml, line 3: steps.0.stop: It is 9. Write 3.", "a.yaml, line 1: Empty."]
