import pytest

from labwright.evaluation import translation
from labwright.evaluation.benchmarks.translation_scale import measure
from labwright.tools.experiments.call import ExperimentCall


def test_the_halves_are_split_by_hash_and_share_nothing():
    halves = {split: {case.instruction for case in translation.load_cases(split)} for split in ("dev", "sealed")}
    assert not halves["dev"] & halves["sealed"]
    assert len(halves["dev"] | halves["sealed"]) >= 120
    for split, texts in halves.items():
        assert {translation.split_of(text) for text in texts} == {split}


def test_the_development_half_stays_right():
    result = translation.run("dev")
    wrong = [(row["instruction"], row["verdict"]) for row in result["rows"] if not row["passed"]]
    assert result["score"] >= 0.95, wrong


@pytest.mark.parametrize(
    ("got", "says"),
    [
        (translation.Translated("refuse"), "call expected, refuse given"),
        (translation.Translated("call", ExperimentCall("rabi", {"qubit": "Q1"})), "wrong experiment"),
        (translation.Translated("call", ExperimentCall("t1", {"qubit": "Q1"}), "too long"), "not valid"),
        (translation.Translated("call", ExperimentCall("t1", {"qubit": "Q1"})), "wrong values: stop"),
        (translation.Translated("call", ExperimentCall("t1", {"qubit": "Q1", "stop": 40.0})), "right"),
    ],
)
def test_the_scorer_tells_right_from_wrong(got, says):
    case = translation.Case("T1 of Q1 to 40 us", "call", "t1", {"qubit": "Q1", "stop": 40.0}, {})
    card = None
    assert says in translation.verdict(case, got, card)


def test_wilson_interval_of_a_known_case():
    # Wilson's interval for 9 of 10 at z = 1.96: (0.9 + 0.19208 -+ 1.96 sqrt(0.009 + 0.009604)) / 1.38416
    assert translation.wilson(9, 10) == pytest.approx((0.5958, 0.9821), abs=1e-3)
    assert translation.wilson(10, 10)[1] == 1.0


def test_prompts_do_not_grow_with_the_number_of_experiments():
    few, many = measure(10), measure(100)
    assert few["prompt_characters"] == many["prompt_characters"]
    assert many["activation_ms_median"] < 50
    assert many["recall_at_9"] >= 0.99
