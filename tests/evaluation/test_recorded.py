"""What readers answered in a model's place, played again: parsing and checks hold; the prompts are as they were.

A miss names the role and the first line that differs. Prompts or cards that change on purpose need a new recording
(docs/recordings.md).
"""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest
from sklearn.datasets import load_wine

from labwright import prompts
from labwright.agents.protocol_design.draft import page
from labwright.agents.recordings.manifest import exchanges_in
from labwright.agents.recordings.replay import Replay, open_replay
from labwright.evaluation import desk
from labwright.evaluation.committed_results import FOLDER
from labwright.evaluation.reproduce import run_suite
from labwright.evaluation.runner import Context
from labwright.graphs.feature_map_search.choices import Choices
from labwright.graphs.feature_map_search.running import SearchRequest, start
from labwright.graphs.front_desk import turn_start
from labwright.tools.experiments import registry
from labwright.tools.experiments.cpmg import Cpmg

HERE = FOLDER.parent
RECORDED = HERE / "recordings"


@pytest.mark.parametrize("name", ["plans", "protocols", "desk", *(one.name for one in RECORDED.glob("live_*"))])
def test_a_recording_holds_no_address_and_no_folder_of_a_machine(name: str) -> None:
    for path in (RECORDED / name).iterdir():
        content = path.read_text(encoding="utf-8")
        assert not [word for word in ("127.0.0.1", "http://", "/home/") if word in content]


def test_instructions_become_the_same_plans(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the experiments and causes that there were when it was recorded: the reader has not seen later ones."""
    cases = ("a14", "b11", "b18", "b19")  # several steps with rules, notes with headings, something missing, no reach
    text = (RECORDED / "plans" / "exchanges.jsonl").read_text(encoding="utf-8")
    known = tuple(kind for kind in registry.SHIPPED if f"{kind.name}(qubit" in text)
    monkeypatch.setattr(registry, "SHIPPED", known)
    monkeypatch.delitem(registry.card(Cpmg).causes, "pulses_shorten")
    result = run_suite("plans", mind=f"replay:{RECORDED / 'plans'}", tasks=cases, out=tmp_path)
    assert {row["case"]: row["verdict"] for row in result["rows"]} == dict.fromkeys(cases, "right")


def test_descriptions_become_the_same_protocols(tmp_path: Path) -> None:
    """A question, and files after a weighed-in solid and portions.

    Today's prompt, page and names of plates stand in the requests: the reader has not seen the newest (decision 82).
    """
    shutil.copytree(RECORDED / "protocols", tmp_path / "protocols")
    today, shown = (
        prompts.render("protocol_design/draft.md", words="", page=page(), similar=[]),
        r'<data name="page">.*?</data>',
    )
    block = re.findall(shown, today.user, re.DOTALL)[0]
    exchanges = exchanges_in(RECORDED / "protocols").read()
    for one in (one for one in exchanges if one["role"] == "protocol_design.draft"):
        system, human = one["messages"][:2]
        system["content"] = today.system
        human["content"] = re.sub(shown, lambda _: block, human["content"], flags=re.DOTALL)
    for message in (each for one in exchanges if one["role"] == "understand.cover" for each in one["messages"]):
        cooled = r"(\d\. )cooled to 25 degC, stirred"  # today with the names of the plates
        message["content"] = re.sub(cooled, r"\1Plate 1 cooled to 25 degC, Plate 2 stirred", message["content"])
    lines = "".join(json.dumps(one, ensure_ascii=False) + "\n" for one in exchanges)
    (tmp_path / "protocols" / "exchanges.jsonl").write_text(lines, encoding="utf-8")
    cases = ("q4_d1", "q4_d2", "q4_d3")
    given = {"data": str(HERE / "cases" / "protocols" / "strangers_e"), "tasks": list(cases), "mode": "alone"}
    result = run_suite("protocols", mind=f"replay:{tmp_path / 'protocols'}", out=tmp_path / "out", **given)
    assert {row["case"]: row["verdict"] for row in result["rows"]} == dict.fromkeys(cases, "right")


def test_a_first_request_for_a_protocol_is_short() -> None:
    """9,500 characters for a description of 1,100, the length of all but one of the last sealed set."""
    asked = prompts.render("protocol_design/draft.md", words="x" * 1100, page=page(), similar=[])
    assert len(asked.system) + len(asked.user) < 9500


@pytest.mark.slow  # quick: the plans and protocols above
def test_wishes_become_the_same_searches_or_questions(tmp_path: Path) -> None:
    data = str(HERE / "cases" / "wishes" / "a")
    result = run_suite("search_wishes", mind=f"replay:{RECORDED / 'wishes'}", data=data, out=tmp_path)
    kept = json.loads((RECORDED / "wishes" / "result.json").read_text(encoding="utf-8"))
    shown = ("case", "given", "asked", "body")  # what a person sees before anything runs
    assert [[row.get(name) for name in shown] for row in result["rows"]] == [
        [row.get(name) for name in shown] for row in kept["rows"]
    ]


@pytest.mark.slow
def test_a_task_is_right_again(tmp_path: Path) -> None:
    result = run_suite("forge-texts", mind=f"replay:{RECORDED / 'forge'}", tasks=["07_jc_revival"], out=tmp_path)
    [row] = result["rows"]
    assert (row["outcome"], row["way"], row["calls"]) == ("right", "card", 3)


@pytest.mark.slow
def test_a_run_on_a_sealed_device_has_the_same_grade_again(tmp_path: Path) -> None:
    kept = json.loads((FOLDER / "arena_models.json").read_text(encoding="utf-8"))
    (tmp_path / "arena.secret").write_text(kept["secret"])
    mind = f"replay:{RECORDED / 'arena' / 'labwright-100'}"
    again = run_suite("arena-models", tasks=["labwright 100"], mind=mind, diagnose=False, out=tmp_path)
    [row], [before] = again["rows"], [row for row in kept["rows"] if row["case"] == "labwright 100"]
    same = ("entrant", "ended", "cause", "claims", "ratio", "device_seconds", "acquisitions", "device_faults")
    assert {name: row[name] for name in same} == {name: before[name] for name in same}
    assert row["usage"]["calls"] == before["usage"]["calls"] == 11


@pytest.mark.slow
def test_a_search_finds_what_it_found(tmp_path: Path) -> None:
    kept = json.loads((FOLDER / "search_minds.json").read_text(encoding="utf-8"))
    recorded = (kept["recorded"]["set"], kept["recorded"]["seed"])
    [row] = [one for one in kept["rows"] if (one["set"], one["seed"]) == recorded]
    load_wine(as_frame=True).frame.to_csv(tmp_path / "wine.csv", index=False)
    alike = {"trials": 3, "ideas": 2, "evaluations": 60, "features": 10, "qubits": 10, "answers": "defaults"}
    mind = f"replay:{RECORDED / 'search'}"
    chosen = Choices(
        dataset=str(tmp_path / "wine.csv"), seed=row["seed"], mind=mind, figures=False, baselines=(), **alike
    )
    outcome = start(SearchRequest(choices=chosen), tmp_path / "runs")
    assert outcome.status == "complete", outcome.reason
    open_replay(RECORDED / "search").check()  # no exchange is left over
    assert outcome.result["validation_accuracy"] == pytest.approx(row["model"]["validation"])
    assert outcome.result["test_accuracy"] == pytest.approx(row["model"]["test"])
    assert outcome.result["evaluations"] == row["model"]["evaluations"] == 60


def test_every_search_with_a_reader_stays_below_the_limit_of_characters() -> None:
    rows = json.loads((FOLDER / "search_minds.json").read_text(encoding="utf-8"))["rows"]
    assert {(row["set"], row["seed"]) for row in rows} == {(name, n) for name in ("digits", "wine") for n in range(3)}
    assert max(row["model"]["characters_in"] for row in rows) <= 100_000


def played(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Replay:
    """With the systems as they were when it was recorded: experiments and fields of a search come and go."""
    recorded: Any = exchanges_in(folder).read()[0]
    known = prompts.read_blocks(recorded["messages"][-1]["content"])["systems"]
    monkeypatch.setattr(turn_start, "systems_in_lines", lambda terms: known)
    return open_replay(folder.absolute())


def test_messages_become_the_same_actions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = RECORDED / "desk"
    replay = played(folder, monkeypatch)
    starts = ("p1 04", "p2 04", "p3 05")
    said = {"p1 10": "no calibration of Q2", "p1 13": "Which coupling do you mean", "p1 14": "explosive"}
    for number, case in enumerate(desk.messages({"source": "", "tasks": (*starts, *said)})):
        (tmp_path / str(number)).mkdir()
        options = {"mind": f"replay:{folder.absolute()}", "source": "", "tasks": ()}
        [action] = desk.one_message(case, Context(options, tmp_path / str(number)))["did"]
        if case.name in starts:
            expected = ("start", "lab_calibration", case.say)
            assert (action["kind"], action["system"], action["text"]) == expected
        else:
            assert (action["kind"], said[case.name] in action["text"]) == ("say", True)
    replay.check()
