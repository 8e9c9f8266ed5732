"""The calibration driven by a chat model behind a loopback server, through the real client."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from calibrations import ONE_STAGE, calibrate
from scripted_model import Reply, ScriptedModel
from spoiled import Spoiled, finding, invented_number, kinder_than_the_data

from labwright.agents.errors import ModelUnavailable
from labwright.agents.lab_calibration.inspect_result import LOOK, SUMMARISE
from labwright.agents.lab_calibration.read_plan import PLAN, TRANSLATE
from labwright.agents.lab_calibration.write_report import WRITE_REPORT
from labwright.agents.understand.coverage_check import COVER
from labwright.evaluation.benchmarks.run_comparison import differences, repeated_actions, witness
from labwright.graphs.lab_calibration.running import Outcome, resume
from labwright.tools.runs.run import open_run, run_ids

DEMO = "Calibrate qubit Q1 and benchmark it"
WORDS = "Please get Q1 into shape again, and then tell me how good its gates are."
SHORT = "How long does Q1 live, and how long with an echo?"
READS = {WORDS: DEMO, SHORT: "t1 Q1; spin_echo Q1"}
MISSET: dict[str, float | str] = {"frequency_offset": 1.5, "amplitude_error": -0.15, "drag": 0.0}
MIND = "openai:scripted"
Use = Callable[..., None]


@pytest.fixture
def use(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Use:
    """Points the settings at a server, as a person would: through the environment."""

    def point(model: ScriptedModel, **settings: Any) -> None:
        given = {"base_url": model.url, "api_key": "none", "state": tmp_path / "state", "timeout": 20, **settings}
        for name, value in given.items():
            monkeypatch.setenv(f"LABWRIGHT_{name.upper()}", str(value))

    return point


def same_facts(outcome: Outcome, other: Outcome) -> list[str]:
    """Differences of two runs, but for the words of the log."""
    found = differences(witness(outcome.run_dir), witness(other.run_dir))
    return [line for line in found if not line.startswith("said")]


def assert_meter_is_the_servers(outcome: Outcome, model: ScriptedModel) -> None:
    total = outcome.document["usage"]["total"]
    spent = model.spent
    assert (total["calls"], total["failures"]) == (spent.replies, 0)
    assert total["input_tokens"] == spent.input_tokens
    assert total["output_tokens"] == spent.output_tokens
    assert (total["image_tokens"] or 0) == spent.image_tokens


@pytest.mark.slow
def test_the_demo_through_a_model_that_errs_ends_as_by_rules(root: Path, use: Use) -> None:
    """Every error of network and model on the way from words to report; none changes what is measured."""
    script = Spoiled(
        reads={WORDS: DEMO},
        says={COVER.name: [finding("left_out", "and brew a pot of tea")]},  # quotes what was not said
        spoils={WRITE_REPORT.name: invented_number},
        faults={
            0: Reply.error(429, retry_after=0.2),
            2: Reply(content='{"answer": {"steps": ['),  # torn JSON
            4: Reply(content="ok", delay=3.0),  # longer than the client waits
            6: Reply.error(500),
        },
    )
    with ScriptedModel(script) as model:
        use(model, retries=2, timeout=1)
        outcome = calibrate(WORDS, root, mind=MIND, device_options=MISSET)
    assert outcome.status == "complete", outcome.reason
    assert script.faults == {}
    assert model.times[1] - model.times[0] >= 0.2  # Retry-After was kept
    assert_meter_is_the_servers(outcome, model)
    assert set(script.caught) == {WRITE_REPORT.name}
    asked = [request.role for request in model.requests]
    assert list(dict.fromkeys(asked)) == [PLAN.name, TRANSLATE.name, COVER.name, WRITE_REPORT.name]
    assert same_facts(outcome, calibrate(DEMO, root, device_options=MISSET)) == []


@pytest.mark.slow
def test_a_model_may_not_be_kinder_than_the_data(root: Path, use: Use) -> None:
    script = Spoiled(spoils={SUMMARISE.name: kinder_than_the_data})
    with ScriptedModel(script) as model:
        use(model, model_vision=MIND)
        outcome = calibrate("ramsey Q1, offset = 0.05 MHz, stop = 0.5 us", root, mind=MIND, figures=True)
    assert "cannot be 'success'" in script.caught[SUMMARISE.name]
    assert outcome.result["stages"][0]["verdict"] != "success"
    assert_meter_is_the_servers(outcome, model)


@pytest.mark.slow
def test_numbers_that_say_everything_are_not_asked_about(root: Path, use: Use) -> None:
    with ScriptedModel(Spoiled()) as model:
        use(model)
        outcome = calibrate(ONE_STAGE, root, mind=MIND, figures=True)
    assert outcome.status == "complete", outcome.reason
    assert [request.role for request in model.requests] == [WRITE_REPORT.name]


@pytest.mark.slow
def test_a_second_run_is_answered_from_the_cache(root: Path, use: Use) -> None:
    with ScriptedModel(Spoiled(READS)) as model:
        use(model)
        calibrate(SHORT, root, mind=MIND)
        asked = len(model.requests)
        again = calibrate(SHORT, root, mind=MIND)
    assert asked > 0
    assert len(model.requests) == asked
    total = again.document["usage"]["total"]
    assert (total["calls"], total["input_tokens"], total["cache_hits"]) == (0, 0, total["answers"])


@pytest.mark.slow
def test_figures_go_to_the_vision_model(root: Path, use: Use) -> None:
    script = Spoiled(figures=["success"])
    with ScriptedModel(script) as model:
        use(model, model_vision=MIND)
        outcome = calibrate(ONE_STAGE, root, mind=MIND, figures=True)
    [looked] = [request for request in model.requests if request.role == LOOK.name]
    figure = outcome.run_dir / outcome.document["artifacts"][1]["path"]
    assert figure.suffix == ".png"
    assert looked.images[-1] == figure.read_bytes()
    assert script.figures == []
    assert outcome.status == "complete"
    assert model.spent.image_tokens == 85 * len(looked.images)
    assert_meter_is_the_servers(outcome, model)


@pytest.mark.slow
def test_figures_are_looked_at_where_the_numbers_leave_doubt(root: Path, use: Use) -> None:
    with ScriptedModel(Spoiled(figures=["success"])) as model:
        use(model, model_vision=MIND)
        outcome = calibrate(ONE_STAGE, root, mind=MIND, figures=True, look="doubt")
    assert outcome.status == "complete", outcome.reason
    assert LOOK.name not in [request.role for request in model.requests]


def test_a_figure_that_contradicts_the_numbers_takes_the_update_back(root: Path, use: Use) -> None:
    with ScriptedModel(Spoiled(figures=["failure", "success"])) as model:
        use(model, model_vision=MIND)
        outcome = calibrate("rabi Q1", root, mind=MIND, figures=True, device_options=MISSET | {"frequency_offset": 0.0})
    assert outcome.status == "complete", outcome.reason
    first, second = outcome.result["stages"]
    assert (first["verdict"], first["next"]) == ("bad_data", "Stage 1")
    assert first["diagnosis"] == "figure and numbers contradict each other"
    assert second["verdict"] == "success"
    written, reverted, again = witness(outcome.run_dir).updates
    assert reverted["changes"] == written["before"]
    assert again["before"] == written["before"]
    assert repeated_actions(outcome.run_dir) == []


@pytest.mark.slow
def test_a_spent_budget_stops_the_run_and_a_larger_one_goes_on(root: Path, use: Use) -> None:
    with ScriptedModel(Spoiled(READS)) as model:
        use(model)
        whole = calibrate(SHORT, root, mind=MIND)
        enough = whole.document["usage"]["total"]["input_tokens"] + whole.document["usage"]["total"]["output_tokens"]
    with ScriptedModel(Spoiled(READS)) as model:
        use(model, cache="false")
        budget = int(0.6 * enough)
        stopped = calibrate(SHORT, root, mind=MIND, budget=f"tokens={budget}")
        assert stopped.status == "stopped"
        assert f"budget of {budget:g} tokens is spent" in stopped.reason.replace(",", "")
        assert_meter_is_the_servers(stopped, model)
        used = stopped.document["usage"]["total"]
        assert budget <= used["input_tokens"] + used["output_tokens"] < enough
        ended = resume(stopped.run_id, root, budget=f"tokens={10 * enough}")
    assert ended.status == "complete"
    assert_meter_is_the_servers(ended, model)  # a resumed run goes on counting
    assert same_facts(ended, whole) == []
    assert repeated_actions(ended.run_dir) == []


def test_what_was_spent_is_on_disk_while_the_run_goes_on(root: Path, use: Use) -> None:
    kept = []

    def look(event: dict[str, Any]) -> None:
        if event["kind"] == "measured":
            usage = json.loads((root / run_ids(root)[-1] / "usage.json").read_bytes())
            kept.append((usage["total"]["input_tokens"], model.spent.input_tokens))

    with ScriptedModel(Spoiled(READS)) as model:
        use(model)
        calibrate(SHORT, root, mind=MIND, on_event=look)
    (written, spent) = kept[0]
    assert written == spent > 0


def test_a_model_that_never_mends_its_answer_stops_the_run_and_keeps_it(root: Path, use: Use) -> None:
    right = Spoiled()

    def stubborn(request: Any) -> Reply:
        reply = right(request)
        return Reply.answer(invented_number(reply.content["answer"], {})) if "report" in request.role else reply

    with ScriptedModel(stubborn) as model:
        use(model)
        stopped = calibrate(ONE_STAGE, root, mind=MIND)
    assert stopped.status == "stopped"
    assert "no valid answer" in stopped.reason
    assert "7.77e-9" in stopped.reason
    with ScriptedModel(right) as model:
        use(model)
        ended = resume(stopped.run_id, root)
    assert ended.status == "complete"
    assert repeated_actions(ended.run_dir) == []
    assert len([event for event in open_run(root, ended.run_id).events.read() if event["kind"] == "measured"]) == 1


def test_a_model_that_is_not_there_is_said_at_once(root: Path, use: Use) -> None:
    with ScriptedModel(Spoiled()) as model:
        use(model, retries=0)
    with pytest.raises(ModelUnavailable, match="LABWRIGHT_BASE_URL"):
        calibrate(ONE_STAGE, root, mind=MIND)
