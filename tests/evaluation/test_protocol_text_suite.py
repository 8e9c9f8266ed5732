"""Texts of others through a scripted model: right, asked, refused and silently wrong are told apart."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from designs import CLEAR_WORDS, CLEAR_YAML, drafted, found, plan_of, read_design, reader
from scripted_model import Reply, Request, ScriptedModel

from labwright.evaluation import suites
from labwright.evaluation.protocol_grading import faults
from labwright.tools.errors import InputError
from labwright.tools.liquid_handler.protocol_planner import Made

RIGHT: dict[str, Any] = {
    "kind": "right",
    "vials": [
        {"count": 1, "holds": {"caffeine": "0.1 umol", "water": "990 uL"}, "volume": "1 mL"},
        {"count": 1, "holds": {"caffeine": "0.2 umol", "H2O": "980 uL"}},
        {"count": 1, "holds": {"58-08-2": "0.5 umol", "water": "0.95 mL"}},
    ],
    "treatments": [{"moving": "vortex", "time": "5 min"}],
}


def made(text: str = CLEAR_YAML) -> Made:
    return plan_of(read_design(text))


def test_a_right_plate_has_no_faults() -> None:
    assert faults(RIGHT, made()) == []


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("0.5 mM", "0.55 mM", "no vial with"),
        ("    total_volume", "    replicates: 2\n    total_volume", "6 vials instead of 3"),
        ("total_volume: 1 mL", "total_volume: 2 mL", "no vial with"),
        ("time: 5 min", "time: 6 min", "for 6 min"),
        ("by: vortex", "by: stir", "moved by stir"),
        ("by: vortex", "temperature: 60 degC", "at 60 degC"),
        ("  - {kind: mix", "  - {kind: wait, time: 1 h}\n  - {kind: mix", "2 treatments of samples instead of 1"),
    ],
)
def test_each_difference_is_seen(old: str, new: str, says: str) -> None:
    assert old in CLEAR_YAML
    assert any(says in fault for fault in faults(RIGHT, made(CLEAR_YAML.replace(old, new))))


def test_the_order_and_the_wells_count_where_they_are_given() -> None:
    ordered = made(f"{CLEAR_YAML}order: [10 mM caffeine, water]\n")
    assert faults({**RIGHT, "order": ["water", "caffeine"]}, ordered)
    assert faults({**RIGHT, "order": ["caffeine", "water"]}, ordered) == []
    first = {**RIGHT["vials"][0], "wells": ["A2"]}
    assert faults({**RIGHT, "vials": [first, *RIGHT["vials"][1:]]}, made())


def test_the_suite_grades_the_graph_and_the_control(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    wrong = CLEAR_YAML.replace("0.5 mM", "0.05 mM")
    cases = {"right": RIGHT, "asked": {"kind": "ask"}, "refused": {"kind": "refuse"}, "wrong": RIGHT}
    for name, expected in cases.items():
        (tmp_path / f"{name}.txt").write_text(f"{name}: {CLEAR_WORDS}")
        (tmp_path / f"{name}.expected.yaml").write_text(yaml.safe_dump(expected))
    drafts = {
        "right": Reply.answer(drafted()),
        "asked": Reply.question("How much in all?"),
        "refused": Reply.refuse("It cannot be done."),
        "wrong": Reply.answer(drafted(wrong)),
    }

    def script(request: Request) -> Reply:
        name = request.input["words"].partition(":")[0]
        if request.role.endswith("one_protocol"):
            return Reply.answer({"protocol": CLEAR_YAML if name == "right" else wrong})
        return drafts[name] if request.role.endswith("draft") else reader(cover=[found()])(request)

    with ScriptedModel(script) as model:
        monkeypatch.setenv("LABWRIGHT_BASE_URL", model.url)
        monkeypatch.setenv("LABWRIGHT_CACHE", "false")
        result = suites.run("protocols", data=str(tmp_path), mind="openai:scripted", out=tmp_path / "out")
    verdicts = {row["case"]: row["verdict"] for row in result["rows"]}
    assert verdicts == {"right": "right", "asked": "right", "refused": "right", "wrong": "silently wrong"}
    assert result["summary"]["silently wrong"] == 1
    assert result["summary"]["requests"] == 6
    assert result["baselines"]["one prompt"]["score"] == 0.25


def test_a_folder_without_texts_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="holds no descriptions"):
        suites.run("protocols", data=str(tmp_path))
    with pytest.raises(InputError, match="--data DIR"):
        suites.run("protocols")
