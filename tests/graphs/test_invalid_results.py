"""A result that its own figure contradicts leaves nothing behind, and a request of nothing is refused."""

import time
from pathlib import Path
from typing import Any

import pytest
from tiers import sampled

from labwright.agents.lab_calibration.inspect_result import FigureIn, FigureOut, SummariseIn
from labwright.agents.rules_backend import RulesMind
from labwright.agents.typed_call import AgentCall, Question, Runtime
from labwright.graphs import run_context
from labwright.graphs.lab_calibration.choices import Choices
from labwright.graphs.lab_calibration.running import CalibrationRequest, Outcome, start
from labwright.tools.errors import InputError
from labwright.tools.runs.listing import list_runs


class Doubter(RulesMind):
    """Rules, but with eyes that see a failure in every figure."""

    sees_images = True

    def answer(self, call: AgentCall[Any, Any], input: Any, runtime: Runtime | None = None) -> Any:
        if isinstance(input, FigureIn):
            return FigureOut(observations="Nothing decays here.", verdict="failure")
        return super().answer(call, input, runtime)


class Asker(RulesMind):
    """Rules with eyes, but the summarising agent asks back instead of judging."""

    sees_images = True

    def answer(self, call: AgentCall[Any, Any], input: Any, runtime: Runtime | None = None) -> Any:
        if isinstance(input, FigureIn):
            return FigureOut(observations="A clear decay.", verdict="success")
        return Question(text="Is it?") if isinstance(input, SummariseIn) else super().answer(call, input, runtime)


def run(root: Path, text: str, monkeypatch: Any = None, mind: Any = None) -> Outcome:
    if mind is not None:
        monkeypatch.setattr(run_context, "make_mind", lambda *_: mind)
    options: dict[str, float | str] = {"frequency_offset": 0.0, "amplitude_error": 0.0, "drag": 1.0}
    choices = Choices(seed=3, device_options=options, approval="auto", answers="defaults", max_retries=0)
    return start(CalibrationRequest(text, choices), root)


def test_a_contradicted_result_is_no_result(tmp_path: Path, monkeypatch: Any) -> None:
    outcome = run(tmp_path, "Measure T1 of Q1", monkeypatch, Doubter())
    assert outcome.status == "failed"
    assert outcome.result["qubits"].get("Q1", {}).get("measured", {}) == {}


@pytest.mark.slow
def test_an_agent_that_asks_instead_of_judging_does_not_end_the_run(tmp_path: Path, monkeypatch: Any) -> None:
    outcome = run(tmp_path, "Measure T1 of Q1", monkeypatch, Asker())
    assert outcome.status == "complete", outcome.reason


def test_an_empty_request_is_refused(tmp_path: Path) -> None:
    outcome = run(tmp_path, "  \n")
    assert outcome.status == "refused"
    assert "empty" in outcome.reason


@pytest.mark.parametrize(("repeats", "status"), sampled([(30_000, "refused"), (3_000, "stopped"), (900, "stopped")]))
def test_a_request_of_endless_words_is_handed_back_at_once(tmp_path: Path, repeats: int, status: str) -> None:
    begun = time.monotonic()
    outcome = run(tmp_path, "Measure T1 of Q1 " + "a " * repeats)
    assert outcome.status == status
    if status == "refused":
        assert "at most 50000 characters" in outcome.reason
    else:
        assert "Nothing was done." in outcome.questions[0]["body_markdown"]
    assert time.monotonic() - begun < 10


def test_the_record_names_the_error_that_stopped_the_run(tmp_path: Path) -> None:
    module = tmp_path / "fridge.py"
    module.write_text(
        "from labwright.tools.errors import InputError\n"
        "def open_fridge(folder, seed, options):\n"
        "    raise InputError('The fridge is warm.')\n"
    )
    choices = Choices(device=f"{module}:open_fridge", figures=False)
    with pytest.raises(InputError):
        start(CalibrationRequest("Measure T1 of Q1", choices), tmp_path / "runs")
    [listed] = list_runs(tmp_path / "runs")
    assert "The fridge is warm" in listed.reason


def test_a_device_that_does_not_exist_is_refused_before_a_run_is_made(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be imported"):
        start(CalibrationRequest("Measure T1 of Q1", Choices(device="nothing.of:this_name")), tmp_path / "runs")
    assert not (tmp_path / "runs").exists() or not list_runs(tmp_path / "runs")
