"""Texts with references: what counts as right, asked, refused and silently wrong, through real runs without a model."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from scripted_model import Reply, ScriptedModel

from labwright.evaluation import suites
from labwright.evaluation.forge.text_tasks import TEXTS, Text, alone, missed, texts
from labwright.evaluation.forge.units import factor
from labwright.evaluation.runner import Context

CARD = """system: tool_forging
task: dynamics
parts: {q: {levels: 2}}
hamiltonian: 0.65*X(q)
initial: ket(0)
times: linspace(0, 1, 11)
wanted: {p_end: "final(population(q, 1))"}
"""
P_END = {"name": "p_end", "value": 0.366250585, "unit": "1", "tolerance": 1e-6}


def text(folder: Path, question: str, doable: bool, *demands: dict[str, Any]) -> None:
    folder.mkdir(parents=True)
    (folder / "question.md").write_text(question)
    (folder / "reference.json").write_text(json.dumps({"doable": doable, "demands": list(demands)}))


def test_a_text_ends_wrong_or_refused_rightly_or_not(tmp_path: Path) -> None:
    source = tmp_path / "texts"
    text(source / "02", CARD, True, {**P_END, "value": 0.4})
    text(source / "03", "How many primes are below 100?", True, {"name": "primes", "value": 25, "tolerance": 0})
    text(source / "04", "How many primes are there?", False)
    result = suites.run("forge-texts", source=source, out=tmp_path / "out", workers=0)
    rows = {row["case"]: row for row in result["rows"]}
    assert {name: row["outcome"] for name, row in rows.items()} == {
        "02": "wrong", "03": "refused", "04": "right",
    }  # fmt: skip
    assert (rows["02"]["way"], rows["02"]["faults"][:8]) == ("card", "p_end: [")


def test_the_control_works_in_the_sandbox_and_sees_no_reference(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text(tmp_path / "01", "How many primes are below 100?", True, {"name": "primes", "value": 25, "tolerance": 0})
    seen = "from labwright.results import record\nimport os\nrecord('primes', 25)\nprint(sorted(os.listdir()))"
    turns = [
        Reply.use("write_file", path="count.py", text=seen),
        Reply.use("execute", command="python count.py"),
        Reply.answer({"scripts": ["count.py"], "summary": "25."}),
    ]
    with ScriptedModel(turns) as model:
        monkeypatch.setenv("LABWRIGHT_BASE_URL", model.url)
        monkeypatch.setenv("LABWRIGHT_CACHE", "false")
        row = alone(
            Text("01", str(tmp_path / "01"), json.loads((tmp_path / "01" / "reference.json").read_text())),
            Context({"mind": "openai:scripted"}, tmp_path / "row"),
        )
        listed = model.requests[-1].results[-1]
    assert "'question.md'" in listed
    assert "reference.json" not in listed
    assert (row["outcome"], row["faults"]) == ("right", "")


@pytest.mark.slow  # quick: a card in the first test
def test_cards_of_people_who_knew_only_the_documents_give_the_references(tmp_path: Path) -> None:
    quick = ("04_stirap_lossy", "05_exciton_trimer_trap", "07_jc_revival", "28_resonance_fluorescence")
    result = suites.run("forge-texts", tasks=quick, out=tmp_path, workers=0)
    assert [(row["case"], row["outcome"], row["way"]) for row in result["rows"]] == [
        (name, "right", "card") for name in quick
    ]


@pytest.mark.parametrize(
    ("records", "demand", "met"),
    [
        ([("T", [], 2000.0, "ns")], {"value": 2.0, "unit": "us"}, True),
        ([("T", [], 2000.0, "")], {"value": 2.0, "unit": "us"}, False),
        ([("T", [], 2.0, "eV")], {"value": 2.0, "unit": "us"}, False),
        ([("T", [], 2.0, "us"), ("T", [], 3.0, "us")], {"value": 2.0, "unit": "us"}, False),
        ([("T", [0, 1], [2.0, 3.0], "us"), ("T", [], 2.0, "us")], {"value": [2.0, 3.0], "unit": "us"}, True),
        ([("T", [], None, "us")], {"value": 2.0, "unit": "us"}, False),
        ([("other", [], 2.0, "us")], {"value": 2.0, "unit": "us"}, False),
    ],
)
def test_a_demand_is_met_by_name_unit_and_shape(
    tmp_path: Path, records: list[Any], demand: dict[str, Any], met: bool
) -> None:
    written = [
        {"quantity": name, "axes": [{"name": "n", "values": axis}] if axis else [], "value": value, "unit": unit}
        for name, axis, value, unit in records
    ]
    (tmp_path / "results.json").write_text(json.dumps({"records": written}))
    found = missed([{"name": "T", "tolerance": 1e-9, **demand}], tmp_path / "results.json")
    assert (found == []) == met


@pytest.mark.parametrize(
    ("have", "wanted", "scale"),
    [("ns", "us", 1e-3), ("eV", "hartree", 1 / 27.211386), ("cm^-1", "meV", 1 / 8.0655439), ("", "fs", 1.0),
     ("kJ/mol", "kcal/mol", 1 / 4.184), ("%", "1", 0.01), ("K", "fs", None), ("furlong", "us", 1.0),
     ("deg", "rad", 0.01745329252), ("rad", "", 1.0)],
)  # fmt: skip
def test_units(have: str, wanted: str, scale: float | None) -> None:
    assert factor(have, wanted) == (scale if scale is None else pytest.approx(scale, rel=1e-5))


def test_every_reference_names_what_its_text_asks_for() -> None:
    for source in ("texts", "texts2", "texts3", "studies"):
        for text in texts({"source": TEXTS.parent / source, "tasks": ()}):
            words = (Path(text.folder) / "question.md").read_text(encoding="utf-8")
            assert [one["name"] for one in text.reference["demands"] if one["name"] not in words] == [], text.folder
