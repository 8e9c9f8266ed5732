"""Verdicts and reports: what the policies say, and what no mind may say."""

from typing import Any

import pytest

from labwright.agents.lab_calibration.grounding import Measurement, Named, Parameter, unsupported
from labwright.agents.lab_calibration.inspect_result import (
    CheckLine,
    FigureIn,
    FigureOut,
    SummariseIn,
    SummariseOut,
    check_summary,
    in_doubt,
    look_by_rules,
    summarise_by_rules,
)
from labwright.agents.lab_calibration.write_report import (
    HistoryRow,
    ReportIn,
    ReportOut,
    check_report,
    filled,
    report_by_rules,
)
from labwright.agents.typed_call import Refusal

GOOD = FigureOut(observations="Clear oscillation.", verdict="success")
BAD = FigureOut(observations="Only noise.", verdict="failure")
UNCLEAR = FigureOut(observations="Hard to tell.", verdict="unclear")


def result(**changes: Any) -> SummariseIn:
    given: dict[str, Any] = {
        "experiment": "ramsey",
        "qubit": "Q2",
        "instructions": "Amplitude above 0.2.",
        "verdict": "success",
        "diagnosis": "frequency confirmed",
        "analysis": "The oscillation has 3.0012 MHz.",
        "checks": [CheckLine(name="amplitude above 0.2", passed=True, detail="0.591")],
        "estimates": [Measurement(name="oscillation_frequency", value=3.0012, error=0.0021, unit="MHz")],
        "proposal": [],
        "parameters": [Parameter(name="stop", value=2.0, unit="us", minimum=0.05, maximum=100)],
        "figures": [],
    }
    return SummariseIn(**{**given, **changes})


def short(**changes: Any) -> SummariseIn:
    return result(
        verdict="adjust",
        diagnosis="too few oscillations",
        analysis="1.5 oscillations.",
        proposal=[Named(name="stop", value=2.0)],
        **changes,
    )


@pytest.mark.parametrize(
    ("given", "verdict", "consistent"),
    [
        (result(), "success", True),
        (result(figures=[GOOD]), "success", True),
        (result(figures=[UNCLEAR]), "success", True),
        (result(figures=[BAD]), "bad_data", False),
        (short(), "adjust", True),
        (short(figures=[BAD]), "adjust", True),
        (short(figures=[GOOD]), "adjust", True),  # clean data, wrong range
        (result(verdict="wrong_setup", figures=[GOOD]), "wrong_setup", True),  # a clean decay of bad gates
        (result(verdict="bad_data", figures=[GOOD]), "bad_data", False),
    ],
)
def test_policy_weighs_numbers_and_figures(given: SummariseIn, verdict: str, consistent: bool) -> None:
    answer = summarise_by_rules(given)
    assert (answer.verdict, answer.consistent) == (verdict, consistent)
    assert check_summary(given, answer) == []


def test_rules_say_that_they_cannot_see() -> None:
    answer = look_by_rules(FigureIn(experiment="rabi", criteria=""))
    assert isinstance(answer, Refusal)
    assert "not looked at" in answer.reason


@pytest.mark.parametrize(
    ("given", "changes", "complaint"),
    [
        (short(), {"verdict": "success", "proposal": []}, "cannot be 'success'"),
        (result(), {"verdict": "adjust"}, "must be 'success'"),
        (result(figures=[BAD]), {}, "contradicts the numbers"),
        (result(), {"consistent": False, "verdict": "bad_data"}, "must be true"),
        (result(), {"reason": "The frequency is 4.8873 GHz."}, "4.8873"),
        (result(), {"proposal": [Named(name="stop", value=3.0)]}, "proposes nothing"),
        (short(), {"verdict": "adjust", "proposal": [Named(name="stop", value=20.0)]}, "is 2, but 20"),
        (short(), {"verdict": "adjust", "proposal": [Named(name="span", value=2.0)]}, "no parameter 'span'"),
        (short(), {"verdict": "adjust", "proposal": []}, "also changes stop"),
        (result(verdict="wrong_setup"), {"verdict": "bad_data"}, "repeating cannot help"),
    ],
)
def test_wrong_summaries_of_a_model_are_caught(given: SummariseIn, changes: dict[str, Any], complaint: str) -> None:
    answer: dict[str, Any] = {
        "reason": "The amplitude is 0.591.",
        "consistent": True,
        "verdict": "success",
        "diagnosis": "good",
        "proposal": [],
    }
    assert complaint in " ".join(check_summary(given, SummariseOut(**{**answer, **changes})))


def test_numbers_count_as_supported_in_another_unit_or_rounded() -> None:
    sources = [4.887123, 0.0021, 0.123]
    assert unsupported("4887.1 MHz, 2.1 kHz, 12.3 %, Q17, 3 runs, 0.12", sources) == []
    assert unsupported("4886.1 MHz and 0.0031", sources) == ["4886.1", "0.0031"]


RECORD = ReportIn(
    request="Tune up Q2 and say that T1 is 500 us",
    status="failed",
    cause="the readout cannot tell the states apart",
    wanted="",
    history=[HistoryRow(stage="Stage 1", experiment="rabi", attempt=1, verdict="bad_data", diagnosis="noise")],
    results=[Measurement(name="Q2 t1.t1", value=88.4, error=2.1, unit="us")],
)


def test_report_policy_states_outcome_cause_and_results() -> None:
    answer = report_by_rules(RECORD)
    assert "FAILED" in answer.summary
    assert "cannot tell the states apart" in answer.summary
    assert "88.4" in answer.summary
    assert check_report(RECORD, answer) == []


def test_a_report_names_results_and_code_puts_the_numbers_in() -> None:
    answer = ReportOut(summary="The run failed, but {Q2 t1.t1} is the relaxation time.", next_steps=[])
    assert check_report(RECORD, answer) == []
    assert filled(RECORD, answer).summary == "The run failed, but 88.4 +- 2.1 us is the relaxation time."


@pytest.mark.parametrize(
    ("summary", "steps", "complaint"),
    [
        ("The run failed; T1 is 97.2 us.", [], "97.2"),
        ("The run failed; {Q2 t1.t2} is long.", [], "no result {Q2 t1.t2}"),
        ("The run failed; T1 of Q2 is 500 us.", [], "500"),  # only the request says 500
        ("The run failed.", ["a", "b", "c", "d"], "at most three"),
    ],
)
def test_wrong_reports_of_a_model_are_caught(summary: str, steps: list[str], complaint: str) -> None:
    assert complaint in " ".join(check_report(RECORD, ReportOut(summary=summary, next_steps=steps)))


@pytest.mark.parametrize(
    ("verdict", "checks", "doubt"),
    [("success", [1], False), ("adjust", [1], False), ("wrong_setup", [1], False), ("bad_data", [1], True),
     ("success", [], True)],
)  # fmt: skip
def test_numbers_leave_doubt_where_no_model_fits_or_nothing_was_computed(
    verdict: str, checks: list[int], doubt: bool
) -> None:
    assert in_doubt({"verdict": verdict, "checks": checks}) is doubt
