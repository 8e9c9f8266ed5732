"""Words about runs hold no number that the facts do not."""

from __future__ import annotations

from labwright.agents.front_desk.tell_runs import Fact, RunFacts, TellIn, TellOut, check_told, tell_by_rules


def facts(run_id: str, **values: str) -> RunFacts:
    known = [Fact(name=name, value=value) for name, value in values.items()]
    return RunFacts(
        run_id=run_id, system="lab_calibration", asked="Calibrate Q1", status="complete", reason="", facts=known
    )


def asked(what: str, *runs: RunFacts) -> TellIn:
    return TellIn.model_validate({"question": "?", "what": what, "runs": list(runs), "totals": []})


def test_a_comparison_names_what_differs_and_nothing_else() -> None:
    given = asked("compare", facts("b", error="7.1e-04", seed="0"), facts("a", error="8.2e-04", seed="0"))
    told = tell_by_rules(given)
    assert "error 7.1e-04 (before: 8.2e-04)" in told.text
    assert "seed" not in told.text
    assert check_told(given, told) == []


def test_a_computed_number_is_found() -> None:
    given = asked("compare", facts("b", error="7.1e-04"), facts("a", error="8.2e-04"))
    assert check_told(given, TellOut(text="It is better by 1.1e-04.")) != []


def test_without_runs_it_says_so() -> None:
    assert "no such runs" in tell_by_rules(asked("cost")).text
    assert "no second run" in tell_by_rules(asked("compare", facts("a"))).text
