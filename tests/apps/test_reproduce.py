"""A suite that is recorded, replayed, and run once more with another model beside the first."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from add_up import Sentence, adding
from scripted_model import Reply, Request, ScriptedModel
from typer.testing import Result

from labwright.agents.recordings.manifest import load_manifest
from labwright.agents.recordings.replay import open_replay
from labwright.agents.settings import Price, Settings
from labwright.evaluation import suites
from labwright.evaluation.case import Case
from labwright.evaluation.reproduce import estimated
from labwright.evaluation.runner import Context, Row, Suite

Command = Callable[..., Result]


@pytest.fixture
def kept(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A folder with a recording of a small suite, in which the model gets the first of two sums right."""

    def add(case: Case, context: Context) -> Row:
        reply = context.mind.answer(adding(tmp_path), Sentence(sentence=f"add {case.seed} and 2"))
        return {"passed": hasattr(reply, "total"), "folder": str(tmp_path)}

    suite = Suite(
        name="sums",
        doc="Sums",
        cases=lambda options: [Case(f"sum {seed}", seed, {}) for seed in range(options["seeds"])],
        run=add,
        options={"seeds": 3, "mind": "rules", "source": None},
    )
    monkeypatch.setitem(suites.SUITES, "sums", suite)
    monkeypatch.setenv("LABWRIGHT_STATE", str(tmp_path / "state"))
    return tmp_path / "kept"


def use(model: ScriptedModel, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LABWRIGHT_BASE_URL", model.url)


def answers(*right: int) -> Callable[[Request], Reply]:
    def script(request: Request) -> Reply:
        first = int(request.input["sentence"].split()[1])
        good = Reply.answer({"numbers": [first, 2], "total": first + 2})
        return good if first in right else Reply.refuse("no")

    return script


@pytest.fixture
def recorded(kept: Path, command: Command, monkeypatch: pytest.MonkeyPatch) -> Path:
    with ScriptedModel(answers(0)) as model:
        use(model, monkeypatch)
        done = command("eval", "sums", "--seeds", "2", "--model", f"record:{kept},openai:scripted")
    assert done.exit_code == 0, done.stderr
    monkeypatch.delenv("LABWRIGHT_BASE_URL")
    return kept


def test_a_recorded_suite_keeps_its_options_and_its_result(recorded: Path, tmp_path: Path) -> None:
    manifest = load_manifest(recorded)
    assert (manifest.suite, manifest.options, manifest.seeds) == ("sums", {"seeds": 2}, [0, 1])
    result = json.loads((recorded / "result.json").read_text())
    assert (result["score"], result["n"]) == (0.5, 2)
    assert str(tmp_path) not in (recorded / "result.json").read_text()


def test_a_second_recording_in_the_same_folder_is_refused(recorded: Path, command: Command) -> None:
    done = command("eval", "sums", "--model", f"record:{recorded},openai:scripted")
    assert done.exit_code == 2
    assert "another folder" in done.stderr


def test_a_replay_of_the_suite_has_to_use_up_the_recording(recorded: Path, command: Command) -> None:
    done = command("eval", "sums", "--seeds", "2", "--model", f"replay:{recorded}")
    assert done.exit_code == 0, done.stderr
    open_replay(recorded).rewind()
    done = command("eval", "sums", "--seeds", "1", "--model", f"replay:{recorded}")
    assert done.exit_code == 1
    assert "1 of 2 exchanges" in done.stderr
    open_replay(recorded).rewind()
    done = command("eval", "sums", "--seeds", "3", "--model", f"replay:{recorded}")
    assert done.exit_code == 1
    assert "lacks a request of tests.add" in done.stderr
    open_replay(recorded).rewind()
    done = command("eval", "reproduce", str(recorded), "--model", f"replay:{recorded}")  # costs nothing: no question
    assert done.exit_code == 0, done.stderr
    assert "only A 0, only B 0" in done.stdout


def test_reproduce_shows_old_and_new_side_by_side(
    recorded: Path, command: Command, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    with ScriptedModel(answers(1), name="other") as model:
        use(model, monkeypatch)
        done = command("eval", "reproduce", str(recorded), "--model", "openai:other")
        assert done.exit_code == 2
        assert "Say --yes" in done.stderr
        assert model.requests == []
        done = command(
            "eval", "reproduce", str(recorded), "--model", "openai:other", "--yes", "--json", str(tmp_path / "new.json")
        )
    assert done.exit_code == 0, done.stderr
    assert "2 requests" in done.stderr
    assert "LABWRIGHT_PRICES" in done.stderr
    assert "A: suite sums, backend record:" in done.stdout
    assert "both right 0, only A 1, only B 1, neither 0" in done.stdout
    found = json.loads((tmp_path / "new.json").read_text())["result"]["compared"]
    assert found["changed"][0] == {"case": "sum 0", "seed": 0, "a": "right", "b": "not right"}


def test_a_limit_asks_for_the_first_cases_only(
    recorded: Path, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    with ScriptedModel(answers(0), name="other") as model:
        use(model, monkeypatch)
        done = command("eval", "reproduce", str(recorded), "--model", "openai:other", "--limit", "1", "--yes")
        assert len(model.requests) == 1
    assert done.exit_code == 0, done.stderr
    assert "1 requests" in done.stderr
    assert "both right 1, only A 0, only B 0, neither 0" in done.stdout


def test_the_cost_is_estimated_from_the_recorded_tokens(recorded: Path) -> None:
    manifest = load_manifest(recorded)
    total = manifest.totals
    settings = Settings(_env_file=None, prices={"openai:other": Price(input=2.0, output=10.0)})
    estimate = estimated(manifest, "openai:other", settings)
    assert estimate.cost == pytest.approx((2 * total.input_tokens + 10 * total.output_tokens) / 1e6)
    assert estimated(manifest, "openai:unpriced", settings).cost is None
    assert estimated(manifest, f"replay:{recorded}", settings).cost == 0
    manifest.totals.unknown = 1  # the server did not count: a quarter of the characters
    assert estimated(manifest, "openai:other", settings).input_tokens == manifest.characters_in // 4


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["reproduce"], "Missing argument 'DIR'"),
        (["reproduce", "nowhere"], "no recording in nowhere"),
        (["sums", "--source", "/data/here", "--model", "record:kept,openai:x"], "must be relative"),
    ],
)
def test_what_cannot_be_reproduced_is_said(
    arguments: list[str], said: str, kept: Path, command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    done = command("eval", *arguments)
    assert done.exit_code in (2, 4)
    assert said in done.stderr
