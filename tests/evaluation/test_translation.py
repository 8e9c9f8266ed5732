from collections import Counter

import pytest
from scripted_model import Reply, ScriptedModel, by_policy

from labwright.agents.lab_calibration.activation import ACTIVATION
from labwright.agents.lab_calibration.procedure_match import TRANSLATE_PROCEDURE
from labwright.agents.lab_calibration.select import SELECT
from labwright.agents.lab_calibration.translate import Situation
from labwright.agents.lab_calibration.translate_at_once import TRANSLATE_AT_ONCE, AtOnceIn, AtOnceOut, check_at_once
from labwright.agents.lab_calibration.translate_code import TRANSLATE_CODE
from labwright.agents.models import make_mind
from labwright.agents.rules import RulesMind
from labwright.evaluation import translation
from labwright.evaluation.benchmarks.translation_scale import measure
from labwright.evaluation.tokens import count_request
from labwright.evaluation.translation_cases import FILES, Case, load_cases
from labwright.evaluation.translation_methods import METHODS, OURS, CountingMind, Translated, every_order, retrieved
from labwright.tools.experiments import registry
from labwright.tools.experiments.call import ExperimentCall

ROLES = (ACTIVATION, TRANSLATE_CODE, TRANSLATE_PROCEDURE, SELECT, TRANSLATE_AT_ONCE)


@pytest.fixture(scope="module")
def library():
    return translation.shipped_library(RulesMind())


def test_the_halves_share_nothing_and_name_only_what_there_is():
    halves = {split: [case.instruction for case in load_cases(split)] for split in FILES}
    everything = Counter(text for texts in halves.values() for text in texts)
    # authors who saw no other set wrote short sentences that another one had written, too; all were run
    twice = {text for text, count in everything.items() if count > 1}
    assert {"Measure T1", "Measure T2* of Q8"} == set(halves["first"]) & set(halves["third"])
    assert {"AllXY on Q1"} == set(halves["third"]) & set(halves["fourth"])
    own = {text for text, count in Counter(halves["fourth"]).items() if count > 1}
    assert twice == {"Measure T1", "Measure T2* of Q8", "AllXY on Q1", *own}
    assert len(own) == 3
    assert not set(halves["dev"]) & {text for split in halves if split != "dev" for text in halves[split]}
    assert len(halves["second"]) + len(halves["third"]) >= 300
    known = set(registry.experiments())
    for split in halves:
        for case in load_cases(split):
            assert bool(case.calls) == (case.outcome == "call"), case
            for call in case.calls:
                assert call.experiment.startswith("procedure:") or call.experiment in known, case


def test_the_experiments_are_asked_for_in_both_halves():
    for split in ("dev", "second"):
        asked = {call.experiment for case in load_cases(split) for call in case.calls}
        assert len(asked & set(registry.experiments())) >= 23, split


@pytest.mark.parametrize("every", [5, pytest.param(1, marks=pytest.mark.slow)])
def test_the_development_half_stays_right(every, monkeypatch):
    cases = load_cases("dev")[::every]
    monkeypatch.setattr(translation, "load_cases", lambda split: cases)
    result = translation.run(only=(OURS,))
    wrong = [(row["instruction"], row["verdict"]) for row in result["rows"] if not row["passed"]]
    assert result["score"] >= 0.97, wrong
    assert result["steps"]["values"]["n"] == sum(case.outcome == "call" for case in cases)


@pytest.mark.parametrize(
    ("got", "says", "reached"),
    [
        (Translated("refuse"), "call expected, refuse given", 0),
        (Translated("call", (ExperimentCall("rabi", {"qubit": "Q1"}),)), "wrong experiment", 0),
        (Translated("call", (ExperimentCall("t1", {"qubit": "Q1"}),), "too long"), "not valid", 1),
        (Translated("call", (ExperimentCall("t1", {"qubit": "Q1"}),)), "wrong values: stop", 2),
        (Translated("call", 2 * (ExperimentCall("t1", {"qubit": "Q1", "stop": 40.0}),)), "wrong experiment", 0),
        (Translated("call", (ExperimentCall("t1", {"qubit": "Q1", "stop": 40.0}),)), "right", 3),
    ],
)
def test_the_scorer_tells_right_from_wrong(got, says, reached):
    case = Case("T1 of Q1 to 40 us", "call", (ExperimentCall("t1", {"qubit": "Q1", "stop": 40.0}),))
    row = translation.row_of(case, got, {})
    assert says in row["verdict"]
    assert [row[step] for step in translation.STEPS] == [step < reached for step in range(3)]


def test_wilson_interval_of_a_known_case():
    # Wilson's interval for 9 of 10 at z = 1.96: (0.9 + 0.19208 -+ 1.96 sqrt(0.009 + 0.009604)) / 1.38416
    assert translation.wilson(9, 10) == pytest.approx((0.5958, 0.9821), abs=1e-3)
    assert translation.wilson(10, 10)[1] == 1.0


@pytest.mark.parametrize("name", METHODS)
def test_every_method_works_through_a_models_client_and_costs_what_it_says(name, library, tmp_path):
    """The same policy behind the real client gives the same call, and costs what was counted without it."""
    instruction, situation = "Measure T1 of Q2 with 41 points", Situation({}, ["Q1", "Q2"])
    counting = CountingMind(RulesMind())
    by_rules = METHODS[name]()(counting, instruction, library, situation)
    with ScriptedModel(by_policy(*ROLES)) as model:
        mind = make_mind("openai:scripted", model.settings(tmp_path))
        by_model = METHODS[name]()(mind, instruction, library, situation)
    assert by_model == by_rules
    assert by_model.calls == (ExperimentCall("t1", {"qubit": "Q2", "points": 41}),)
    sent = [count_request(request.body) for request in model.requests]
    assert len(sent) == counting.counted.requests
    # the schema travels with its name and a flag
    assert counting.counted.total == pytest.approx(sum(one.total for one in sent), rel=0.05)


def test_a_model_that_takes_the_wrong_card_is_told(library, tmp_path):
    wrong = AtOnceOut(analysis="", named="T1", experiment="rabi", code="rabi(qubit='Q2')")
    with ScriptedModel(lambda _: Reply.answer(wrong)) as model:
        mind = make_mind("openai:scripted", model.settings(tmp_path))
        got = retrieved(1)(mind, "Measure T1 of Q2", library, Situation({}, ["Q1", "Q2"]))
    assert got.outcome == "refuse"
    assert "but is 'rabi'" in got.detail  # which cards are in sight depends on what else is registered
    given = AtOnceIn(instruction="Measure T1 of Q2", cards=[library.cards["t1"]], variables={}, qubits=["Q2"])
    assert check_at_once(given, wrong) == ["`experiment` must be one of t1, but is 'rabi'."]


def test_several_orders_become_several_calls_or_none(library):
    mind, situation, method = RulesMind(), Situation({}, ["Q1", "Q2", "Q8"]), METHODS[OURS]()
    both = every_order(method, mind, "Measure T1 of Q1, then a spin echo on it", library, situation)
    assert [call.experiment for call in both.calls] == ["t1", "spin_echo"]
    half = every_order(method, mind, "Measure T1 of Q1 and then run a quantum volume test", library, situation)
    assert half.outcome == "refuse"


def test_prompts_do_not_grow_with_the_number_of_experiments():
    few, many = measure(10), measure(100)
    assert few["prompt_characters"] == many["prompt_characters"]
    assert many["activation_ms_median"] < 50
    assert many["recall_at_9"] >= 0.99
